import { generateKeyPairSync } from 'node:crypto';
import { issue, type KeyPair } from '../certificate/issue.ts';

const day = 24 * 60 * 60 * 1000;

/** A self-signed P-256 certificate for 127.0.0.1 and localhost, good for two days around now. */
export const loopbackCertificate = (): KeyPair =>
  issue({
    name: 'kubectl-webhook demo cluster',
    key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    dns: ['localhost'],
    addresses: ['127.0.0.1'],
    from: new Date(Date.now() - day),
    until: new Date(Date.now() + day),
    authority: true,
  });
