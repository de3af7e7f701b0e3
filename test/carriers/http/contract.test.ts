import { testCarrier } from '../contract/carrier-contract.ts';
import { httpPeer } from './http-peer.ts';

testCarrier('http', httpPeer);
