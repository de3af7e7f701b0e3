import { FILE_CODES } from '../../operations/codes.ts';
import { EXAMPLE_TIME } from '../../operations/common.ts';
import { closedObject, count, pageOf, text, time } from '../../operations/schemas.ts';
import { fileDocument } from '../contract/file.openapi.ts';
import {
  type ApiOperation,
  IMAGE_CONTENT,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';
import { accountId, cursor, limit, NO_ACCOUNT, queryParameter, READ_CODES } from './operation.openapi.ts';

const COMMON = { tag: 'Stored', access: 'operator' } as const;
const FILE_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF02';
const ofAccount = queryParameter('account', 'Only of this account.', 'shop');

/** The same uploads as the client has, on behalf of an account. */
const UPLOADS: readonly ApiOperation[] = fileDocument.operations
  .filter(({ method }) => method === 'post')
  .map(operation => ({
    ...operation,
    ...COMMON,
    tag: 'Compose',
    role: 'operator',
    path: operation.path.replace('/v1/file', '/admin/v1/accounts/{id}/files'),
    operationId: operation.operationId.replace('uploadFile', 'uploadAccountFile'),
    summary: `${operation.summary}, for an account`,
    parameters: [accountId, ...(operation.parameters ?? [])],
    codes: [...new Set([...FILE_CODES, ...READ_CODES])],
    notFound: NO_ACCOUNT,
  }));

export const operatorFilesDocument: ResourceDocument = {
  operations: [
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/files',
      operationId: 'listFiles',
      role: 'viewer',
      summary: 'List the uploaded images',
      description: 'Newest first, including expired files that are not deleted yet.',
      parameters: [ofAccount, cursor(FILE_KEY), limit],
      success: success(
        { data: pageOf('files', 'StoredFile') },
        {
          data: {
            files: [
              {
                fileKey: FILE_KEY,
                account: 'shop',
                service: 'MMS',
                kind: 'MMS',
                name: 'sale.jpg',
                bytes: 40_000,
                width: 640,
                height: 480,
                format: 'jpg',
                createdAt: EXAMPLE_TIME,
                expiresAt: '2026-05-31T09:30:00+09:00',
                url: `https://msg.example.com/files/${FILE_KEY}`,
              },
            ],
            next: null,
          },
        },
      ),
      codes: READ_CODES,
    },
    {
      ...COMMON,
      method: 'get',
      path: '/admin/v1/files/{fileKey}/content',
      operationId: 'readFileContent',
      role: 'viewer',
      summary: 'Download an uploaded image',
      description: 'Served with its image type; browsers may not interpret it as anything else.',
      parameters: [pathParameter('fileKey', 'Key of the file.', FILE_KEY)],
      success: IMAGE_CONTENT,
      codes: READ_CODES,
      notFound: 'There is no such file, or it has expired.',
    },
    {
      ...COMMON,
      method: 'delete',
      path: '/admin/v1/files/{fileKey}',
      operationId: 'deleteFile',
      role: 'operator',
      summary: 'Delete an uploaded image',
      description:
        'Before it expires. Refused while a pending message needs it. Its URL stops working at once.',
      parameters: [pathParameter('fileKey', 'Key of the file.', FILE_KEY)],
      success: success(
        { data: closedObject({ fileKey: text('Key of the file.') }) },
        { data: { fileKey: FILE_KEY } },
      ),
      codes: READ_CODES,
      notFound: 'There is no such file, or it has expired.',
    },
    ...UPLOADS,
  ],
  schemas: {
    StoredFile: closedObject({
      fileKey: text('Key of the file.'),
      account: text('Account it belongs to.'),
      service: text('Its purpose.'),
      kind: text('Kind of message that it is for.'),
      name: text('File name.'),
      bytes: count('Size.'),
      width: count('Pixels.'),
      height: count('Pixels.'),
      format: { type: 'string', enum: ['jpg', 'png', 'gif', 'bmp'] },
      createdAt: time('When it was uploaded.'),
      expiresAt: time('When it expires.'),
      url: text('Public URL of the image.'),
    }),
  },
};
