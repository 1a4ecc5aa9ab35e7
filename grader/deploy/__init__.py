"""A JupyterHub for a class: on one machine, or on Kubernetes."""
