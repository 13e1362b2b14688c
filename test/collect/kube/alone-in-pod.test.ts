import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isAloneInPod } from '../../../src/collect/kube/kube-prober.ts';

const heading =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const socket = (local: string, state: string): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 31337 1\n`;
const established = socket('070A33C6:C350', '01');

const alone = (tables: Readonly<Record<string, string>>): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-test-'));
  for (const [name, text] of Object.entries(tables)) writeFileSync(join(folder, name), text);
  return isAloneInPod(folder);
};

describe('a Pod of whose network this program', () => {
  it('is the only user: connections, and nothing that listens', () => {
    expect(alone({ tcp: heading + established, tcp6: heading })).to.equal(true);
    expect(alone({ tcp: heading + established })).to.equal(true);
  });
  it('is not the only user: a proxy of a mesh, or the node’s own processes', () => {
    expect(alone({ tcp: heading + established + socket('00000000:3A99', '0A'), tcp6: heading })).to.equal(
      false,
    );
    expect(alone({ tcp: heading, tcp6: heading + socket(`${'0'.repeat(32)}:3A99`, '0A') })).to.equal(false);
  });
  it('knows nothing: another system', () => {
    expect(alone({})).to.equal(false);
  });
});
