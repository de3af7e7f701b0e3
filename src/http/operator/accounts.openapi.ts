import { DEFAULT_ACCOUNT_SETTINGS } from '../../domain/account/account.ts';
import { SETTING_RULES } from '../../domain/account/account-settings.ts';
import type { JsonSchema } from '../../domain/request/fields.ts';
import { ACCOUNT_ORDERS } from '../../operate/account-page.ts';
import { MOST_COUNTED } from '../../operate/accounts.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, orNull, reference, text, time } from '../../operations/schemas.ts';
import { jsonRequest, type ResourceDocument, success } from '../openapi/operation.ts';
import {
  accountId,
  CHANGE_CODES,
  cursor,
  NO_ACCOUNT,
  queryParameter,
  READ_CODES,
} from './operation.openapi.ts';

const COMMON = { tag: 'Accounts', access: 'operator' } as const;
const ACCOUNTS = '/admin/v1/accounts';
const ACCOUNT = `${ACCOUNTS}/{id}`;

const EXAMPLE = {
  id: 'shop',
  blocked: false,
  createdAt: EXAMPLE_TIME,
  settings: Object.fromEntries(
    Object.entries(DEFAULT_ACCOUNT_SETTINGS).map(([name, value]) => [name, value ?? null]),
  ),
};

const settings = {
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(SETTING_RULES).map(([name, { mustBe }]) => [name, { description: `Must be ${mustBe}.` }]),
  ),
  description: 'Settings that are left out stay as they are.',
};

const ACCOUNT_MEMBERS = {
  id: text('Id of the account.'),
  blocked: { type: 'boolean', description: 'Whether its calls are refused.' },
  createdAt: time('When it was created.'),
  settings: reference('AccountSettings'),
};

const USED = { used: 12, limit: 1000 };

const PASSWORD = 'K3Q8ZD9GYYRC3W1V5N2X';

function used(description: string): JsonSchema {
  return {
    ...closedObject({ used: count('What there is.'), limit: count('What there may be.') }),
    description,
  };
}

export const operatorAccountsDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: ACCOUNTS,
      operationId: 'listAccounts',
      role: 'viewer',
      summary: 'List the accounts',
      description: 'A page, by id or newest first. Passwords are never shown.',
      parameters: [
        queryParameter('search', 'Only accounts whose id has this text in it, in any letter case.', 'shop'),
        queryParameter('order', 'id, the default; or newest: those created last come first.', 'newest', {
          type: 'string',
          enum: ACCOUNT_ORDERS,
        }),
        queryParameter('settings', 'false: without their settings, for a list of names.', 'false'),
        cursor('1772411400000-shop'),
        queryParameter('limit', 'Most rows of a page, 1 to 1000; default 50.', '50', {
          type: 'string',
          pattern: '^\\d{1,4}$',
        }),
      ],
      success: success(
        {
          data: closedObject({
            accounts: { type: 'array', items: reference('ListedAccount') },
            next: orNull(text('Cursor of the next page; null on the last one.')),
          }),
        },
        { data: { accounts: [EXAMPLE], next: null } },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'post',
      path: ACCOUNTS,
      operationId: 'createAccount',
      role: 'admin',
      summary: 'Create an account',
      description: 'The password is generated unless one is given, and shown only once.',
      request: jsonRequest(
        {
          type: 'object',
          properties: { id: text('Id of the new account.'), password: text('Its password.'), settings },
          required: ['id'],
        },
        { 'for SMS and RCS': { id: 'branch', settings: { channels: ['sms', 'rcs'], sendRate: 50 } } },
      ),
      success: success(
        { data: closedObject({ id: text('Id of the account.'), password: text('Its password.') }) },
        { data: { id: 'branch', password: PASSWORD } },
      ),
      codes: CHANGE_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: ACCOUNT,
      operationId: 'readAccount',
      role: 'viewer',
      summary: 'Show an account',
      description: 'Its settings, whether it is blocked, and what it has used of its quotas.',
      parameters: [accountId],
      success: success(
        { data: closedObject({ ...ACCOUNT_MEMBERS, usage: reference('AccountUsage') }) },
        {
          data: {
            ...EXAMPLE,
            usage: {
              ...{ forms: USED, reservations: USED, reservationRecipients: USED, reservationBytes: USED },
              ...{ files: USED, fileBytes: USED, tokens: USED },
            },
          },
        },
      ),
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'patch',
      path: ACCOUNT,
      operationId: 'changeAccount',
      role: 'admin',
      summary: 'Block an account, or change its settings',
      description:
        'Takes effect with the next call, on every node. Blocking ends all tokens of the account for good.',
      parameters: [accountId],
      request: jsonRequest(
        {
          type: 'object',
          properties: {
            blocked: { type: 'boolean' },
            settings,
            expected: {
              ...settings,
              description:
                'Settings as they were when you read them. If one of them was changed meanwhile, nothing is changed, and the answer is A300 with status 409.',
            },
          },
        },
        {
          'another rate': { settings: { sendRate: 100 } },
          'unless somebody changed it': { settings: { sendRate: 200 }, expected: { sendRate: 100 } },
        },
      ),
      success: success({ data: reference('Account') }, { data: EXAMPLE }),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'delete',
      path: ACCOUNT,
      operationId: 'deleteAccount',
      role: 'admin',
      summary: 'Delete an account',
      description:
        'Only a blocked one without pending messages. Its password, tokens, forms, registry entries, files, webhook secrets and reports that were not fetched go within minutes. Its messages are kept as long as others, and operators find them; no account can be created with its id again.',
      parameters: [accountId],
      success: success(
        {
          data: closedObject({
            id: text('Id of the account.'),
            keptUntil: time('When its last message is gone. The id is never given again.'),
          }),
        },
        { data: { id: 'shop', keptUntil: '2026-04-03T09:30:00+09:00' } },
      ),
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'post',
      path: `${ACCOUNT}/password`,
      operationId: 'renewPassword',
      role: 'admin',
      summary: 'Give an account a new password',
      description:
        'Generated unless one is given, and shown only once. Ends all tokens that were issued before, on every node.',
      parameters: [accountId],
      request: jsonRequest(
        { type: 'object', properties: { password: text('Its password.') } },
        { generated: {} },
      ),
      success: success(
        { data: closedObject({ password: text('The password.') }) },
        { data: { password: PASSWORD } },
      ),
      codes: CHANGE_CODES,
      notFound: NO_ACCOUNT,
    },
    {
      ...COMMON,
      method: 'delete',
      path: `${ACCOUNT}/tokens`,
      operationId: 'revokeTokens',
      role: 'admin',
      summary: 'End all tokens of an account',
      description:
        'On every node, with the next call. The password stays, so the account can ask for a new token.',
      parameters: [accountId],
      success: success({ data: closedObject({}) }, { data: {} }),
      codes: READ_CODES,
      notFound: NO_ACCOUNT,
    },
  ],
  schemas: {
    Account: closedObject(ACCOUNT_MEMBERS),
    ListedAccount: closedObject(ACCOUNT_MEMBERS, ['settings']),
    AccountUsage: closedObject({
      forms: used('Message forms.'),
      reservations: used('Reservations that have not ended.'),
      reservationRecipients: used('Recipients that wait in them.'),
      reservationBytes: used('Bytes of their messages, recipients and words.'),
      files: used('Uploaded files, until they expire.'),
      fileBytes: used('Bytes of these files.'),
      tokens: used(
        `Tokens, until they expire, counted up to ${MOST_COUNTED}. Beyond the limit the oldest end.`,
      ),
    }),
    AccountSettings: closedObject(
      Object.fromEntries(
        Object.entries(SETTING_RULES).map(([name, { mustBe }]) => [name, { description: `Is ${mustBe}.` }]),
      ),
    ),
  },
};
