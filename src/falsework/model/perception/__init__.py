"""What cameras give: frozen data, checked when it is made."""
