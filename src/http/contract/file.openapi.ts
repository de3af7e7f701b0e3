import { FILE_CODES } from '../../operations/codes.ts';
import { closedObject, reference, text } from '../../operations/schemas.ts';
import {
  type ApiParameter,
  IMAGE_CONTENT,
  pathParameter,
  type ResourceDocument,
  success,
} from '../openapi/operation.ts';

const FILE_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF02';

const serviceType: ApiParameter = {
  ...pathParameter('serviceType', 'Purpose of the image.', 'MMS'),
  schema: { type: 'string', enum: ['MMS', 'RCS', 'FRIENDTALK', 'BRANDMESSAGE'] },
};
const msgType = pathParameter(
  'msgType',
  'Kind of message: FI, FW, FL, FC, FA; default, wide, wideItemList, carouselFeed, carouselCommerce.',
  'FL',
);
const subType = pathParameter('subType', 'Place in a wide item list: first, middle or end.', 'first');

const UPLOAD = {
  method: 'post',
  tag: 'File',
  access: 'account',
  request: {
    type: 'multipart/form-data',
    schema: {
      type: 'object',
      properties: {
        file: {
          type: 'string',
          contentMediaType: 'application/octet-stream',
          description: 'The image. Its name has at most 40 characters.',
        },
      },
      required: ['file'],
    },
    examples: {},
  },
  success: success(
    { data: reference('UploadedFile') },
    { data: { fileKey: FILE_KEY, expired: '2026-04-01 09:30:00' } },
  ),
  codes: FILE_CODES,
} as const;

const RULES =
  'MMS: jpg to 300 KB, 1500 x 1440. RCS: jpg, png, gif, bmp to 1 MB. Friendtalk and brandmessage: jpg, png to 500 KB, or 2 MB for wide, item list and carousel. The format is read from the bytes, not from the name.';

export const fileDocument: ResourceDocument = {
  operations: [
    {
      ...UPLOAD,
      path: '/v1/file/{serviceType}',
      operationId: 'uploadFile',
      summary: 'Upload an image',
      description: RULES,
      parameters: [serviceType],
    },
    {
      ...UPLOAD,
      path: '/v1/file/{serviceType}/{msgType}',
      operationId: 'uploadFileForType',
      summary: 'Upload an image for a kind of message',
      description: RULES,
      parameters: [
        { ...serviceType, example: 'FRIENDTALK' },
        { ...msgType, example: 'FI' },
      ],
    },
    {
      ...UPLOAD,
      path: '/v1/file/{serviceType}/{msgType}/{subType}',
      operationId: 'uploadFileForPlace',
      summary: 'Upload an image for a place in a message',
      description: RULES,
      parameters: [{ ...serviceType, example: 'FRIENDTALK' }, msgType, subType],
    },
    {
      method: 'get',
      path: '/files/{fileKey}',
      operationId: 'readFile',
      tag: 'File',
      summary: 'Show an uploaded image',
      description: 'The address in the imgUrl of an upload, until the file expires.',
      access: 'everyone',
      parameters: [pathParameter('fileKey', 'Key of the file.', FILE_KEY)],
      success: IMAGE_CONTENT,
      codes: ['A999'],
      notFound: 'There is no such file, or it has expired.',
    },
  ],
  schemas: {
    UploadedFile: closedObject(
      {
        imgUrl: text('Address for friendtalk and brandmessage images.'),
        fileKey: text('Key for send requests.'),
        media: text('Reference for RCS, maapfile://…'),
        expired: text('When the file expires, yyyy-MM-dd HH:mm:ss.'),
      },
      ['imgUrl', 'media'],
    ),
  },
};
