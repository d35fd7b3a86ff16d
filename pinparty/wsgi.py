"""What gunicorn serves."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pinparty.settings")

application = get_wsgi_application()

# A table of thousands makes as many small tuples at once. At the usual thresholds the collector walks through all of
# Django for them again and again, which took half of the time of a table of 5,000 entries.
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 10, 10)
