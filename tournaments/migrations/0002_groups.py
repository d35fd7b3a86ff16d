from typing import Any

from django.db import migrations

GROUPS = ("organiser", "desk", "official")


def make_groups(apps: Any, schema_editor: Any) -> None:
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    for name in GROUPS:
        groups.get_or_create(name=name)


def keep_groups(apps: Any, schema_editor: Any) -> None:
    """Groups stay when migrating back: people may be in them."""


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(make_groups, keep_groups)]
