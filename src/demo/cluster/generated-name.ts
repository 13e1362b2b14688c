import { createHash } from 'node:crypto';

/** The letters that the API server makes names of: none that form words (apimachinery util/rand). */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** The random-looking end of a generated name; the same for the same seed in every run. */
export const generated = (seed: string, length: number): string =>
  [...createHash('sha256').update(seed).digest().subarray(0, length)]
    .map((byte) => letters[byte % letters.length])
    .join('');

/** The name of a Deployment's ReplicaSet. */
export const replicaSetName = (namespace: string, deployment: string, revision: number): string =>
  `${deployment}-${generated(`${namespace}/${deployment}/${revision}`, 10)}`;

/** The name of one of its Pods. */
export const replicaName = (replicaSet: string, ordinal: number): string =>
  `${replicaSet}-${generated(`${replicaSet}/${ordinal}`, 5)}`;
