import { expect } from 'chai';
import { yamlDiff } from '../../src/change/diff.ts';
import { anchor, encoded } from '../checks/tls/bundles.ts';

const having = (caBundle: string) => ({ webhooks: [{ clientConfig: { caBundle } }] });
const changedLines = (before: string, after: string): readonly string[] =>
  yamlDiff(['live/a', having(before)], ['changed/a', having(after)])
    .split('\n')
    .filter((line) => /^[-+] /.test(line))
    .map((line) => line.trim());

describe('a diff', () => {
  const [old, renewed] = [anchor(-10, 10), anchor(-1, 100)];

  it('shows a caBundle as its certificates', () => {
    const lines = changedLines(encoded(old), encoded(old + renewed));
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(/caBundle: CN=root-ca, expires 2026-01-11, SHA-256 (?:[0-9A-F]{2}:){8}…$/);
    expect(lines[1]).to.match(
      /caBundle: CN=root-ca, expires 2026-01-11, .* \+ CN=root-ca, expires 2026-04-11, /,
    );
  });

  it('shows other values, and the same certificates in other bytes, as they are', () => {
    expect(changedLines('bm8=', encoded(old))[0]).to.match(/caBundle: bm8=$/);
    const lines = changedLines(encoded(old), encoded(`${old}\n`));
    expect(lines).to.have.length(2);
    expect(lines[0]).to.contain(encoded(old));
  });
});
