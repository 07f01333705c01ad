"""Plan files, `falsework-plan/1`."""
