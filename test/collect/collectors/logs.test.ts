import { expect } from 'chai';
import type { Attempts } from '../../../src/collect/attempts.ts';
import { collectLogs } from '../../../src/collect/collectors/logs.ts';
import { pod } from '../../support/snapshot.ts';

const answering = (value: string): Attempts => ({
  list: () => Promise.resolve({ value: [] }),
  get: () => Promise.resolve({ value: undefined }),
  text: () => Promise.resolve({ value }),
  raw: () => Promise.resolve({ value: undefined }),
  lines: () => Promise.resolve({ value: true }),
  linesAt: () => Promise.resolve({ value: true }),
  begun: Promise.resolve(),
  failed: [],
  outage: () => undefined,
});
const read = async (text: string): Promise<string | undefined> => {
  const logs = await collectLogs(answering(text), [{ pod: pod(), container: 'webhook' }]);
  return logs.get('shop/policy-1/webhook');
};

describe('the log of a crashed container', () => {
  it('is what the program wrote', async () => {
    const text = 'starting\nunable to retrieve container logs for containerd://1\n';
    expect(await read(text)).to.equal(text);
  });

  for (const excuse of [
    'unable to retrieve container logs for containerd://b76dbdeacccce5b5fb0e1c4c6846edd777391ad8242cdfe456712d72a64a7528',
    'failed to try resolving symlinks in path "/var/log/pods/x/2.log": lstat /var/log/pods/x: no such file or directory\n',
  ]) {
    it(`is empty where the kubelet says: ${excuse.slice(0, 40)}…`, async () =>
      expect(await read(excuse)).to.equal(''));
  }
});
