/** Entries of flows for tests: valid, short, and easy to change. */

export const sms = (fields: object = {}) => ({
  sms: { from: '0212345678', text: 'hello by sms', ...fields },
});
export const mms = (fields: object = {}) => ({
  mms: { from: '0212345678', text: 'hello by mms', ...fields },
});

export const rcs = (fields: object = {}) => ({
  rcs: {
    from: '0212345678',
    formatId: 'SS000000',
    brandKey: 'BR.brand',
    content: { standalone: { text: 'hello by rcs' } },
    ...fields,
  },
});

export const alimtalk = (fields: object = {}) => ({
  alimtalk: {
    senderKey: 'sender',
    msgType: 'AT',
    templateCode: 'welcome',
    text: 'hello by alimtalk',
    ...fields,
  },
});

export const friendtalk = (fields: object = {}) => ({
  friendtalk: { senderKey: 'sender', msgType: 'FT', text: 'hello by friendtalk', ...fields },
});
