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

describe('this program in the network of a Pod', () => {
  it('is the only user if there are connections, and no listener', () => {
    expect(alone({ tcp: heading + established, tcp6: heading })).to.equal(true);
    expect(alone({ tcp: heading + established })).to.equal(true);
  });
  it('is not the only user if a mesh proxy or processes of the node listen', () => {
    expect(alone({ tcp: heading + established + socket('00000000:3A99', '0A'), tcp6: heading })).to.equal(
      false,
    );
    expect(alone({ tcp: heading, tcp6: heading + socket(`${'0'.repeat(32)}:3A99`, '0A') })).to.equal(false);
  });
  it('is unknown on another operating system', () => {
    expect(alone({})).to.equal(false);
  });
});
