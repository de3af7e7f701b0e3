/** Every door that others can knock at. */
import type { Target } from './target.ts';
import { carrierCallbacks } from './targets/callback.ts';
import { clientRoutes, operatorRoutes } from './targets/http.ts';
import { multipartUploads } from './targets/multipart.ts';
import { smppFrames } from './targets/smpp.ts';
import { webhookAnswers } from './targets/webhook.ts';
import { configurationFile } from './targets/yaml.ts';

export const TARGETS: readonly Target[] = [
  clientRoutes,
  operatorRoutes,
  multipartUploads,
  smppFrames,
  webhookAnswers,
  carrierCallbacks,
  configurationFile,
];
