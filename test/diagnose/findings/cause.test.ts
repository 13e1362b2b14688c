import { expect } from 'chai';
import type { Check, Finding } from '../../../src/checks/check.ts';
import { joinByCause } from '../../../src/diagnose/findings/cause.ts';
import { webhook } from '../../support/snapshot.ts';

const finding = (checkId: string, over: Partial<Finding> = {}): Finding => ({
  checkId,
  link: 'backend',
  severity: 'error',
  consequence: 'failing',
  confidence: 'derived',
  subject: webhook().ref,
  messageId: 'm',
  data: {},
  evidence: [],
  ...over,
});
const checks = (follows: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, Check> =>
  new Map(
    Object.entries(follows).map(([id, ids]) => [
      id,
      {
        meta: {
          id,
          follows: ids,
          messages: { aside: { text: '', explains: false }, rest: { text: '', follows: ['b'] } },
        },
      } as unknown as Check,
    ]),
  );
const told = (findings: readonly Finding[], follows: Readonly<Record<string, readonly string[]>>) =>
  joinByCause(findings, checks(follows)).map(({ finding: { checkId }, causedBy }) =>
    causedBy === undefined ? checkId : `${checkId} < ${causedBy}`,
  );

describe('explain', () => {
  it('puts the cause first and folds its consequences', () => {
    expect(
      told([finding('no-ready-endpoint'), finding('replica-crash-looping', { link: 'replica' })], {
        'no-ready-endpoint': ['replica-crash-looping'],
        'replica-crash-looping': [],
      }),
    ).to.deep.equal(['replica-crash-looping', 'no-ready-endpoint < replica-crash-looping']);
  });
  it('follows a chain to its root', () => {
    expect(told([finding('a'), finding('b'), finding('c')], { a: ['b'], b: ['c'], c: [] })).to.deep.equal([
      'c',
      'a < c',
      'b < c',
    ]);
  });
  it('keeps findings that nothing explains, worst first', () => {
    const info = finding('late', { severity: 'info', consequence: undefined as never });
    expect(told([info, finding('bad')], {})).to.deep.equal(['bad', 'late']);
  });
  it('does not fold anything under a message that explains nothing', () => {
    const aside = finding('b', { messageId: 'aside', severity: 'info' });
    expect(told([finding('a'), aside], { a: ['b'], b: [] })).to.deep.equal(['a', 'b']);
  });
  it('folds a message under what only this message explains', () => {
    const of = (messageId: string) => told([finding('a', { messageId }), finding('b')], { a: [], b: [] });
    expect(of('rest')).to.deep.equal(['b', 'a < b']);
    expect(of('m')).to.deep.equal(['a', 'b']);
  });
  it('prints a last resort only if no other finding explains as much', () => {
    const last = (meta: object) => ({ meta: { id: 'last', messages: {}, ...meta } }) as unknown as Check;
    const among = (...others: Finding[]) =>
      joinByCause([finding('last'), ...others], new Map([['last', last({ lastResort: true })]])).map(
        (one) => one.finding.checkId,
      );
    expect(among()).to.deep.equal(['last']);
    expect(among(finding('bad'))).to.deep.equal(['bad']);
    expect(among(finding('some', { consequence: 'degraded' }))).to.deep.equal(['some', 'last']);
  });
  it('accepts checks that explain each other', () => {
    expect(told([finding('a'), finding('b')], { a: ['b'], b: ['a'] }).length).to.equal(2);
  });
});
