"""The words of the house: data that every room shares. No algorithms live here."""
