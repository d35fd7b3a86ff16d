FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app

COPY pyproject.toml constraints.txt ./
COPY pinparty pinparty
COPY tournaments tournaments
COPY open open
COPY teams teams
# Editable, because templates and static files are found beside the code.
RUN pip install --no-cache-dir --constraint constraints.txt --editable '.[redis]'

COPY manage.py ./
COPY templates templates
COPY static static
# This key serves the one command; the real one comes with the container's environment.
RUN SECRET_KEY=only-for-collecting python manage.py collectstatic --noinput --verbosity 0 \
    && useradd --system --no-create-home pinparty \
    && chown pinparty var

USER pinparty
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8000/healthz', timeout=4)"]
CMD ["gunicorn", "pinparty.wsgi", "--workers", "2", "--threads", "4", "--no-control-socket", "--bind", "0.0.0.0:8000"]
