-- Which messages a delivery will push: retention spares them.
CREATE INDEX webhook_delivery_pending ON webhook_delivery (msg_key) WHERE state = 'pending';
