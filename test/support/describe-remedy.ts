import { expect } from 'chai';
import type { Edit } from '../../src/change/plan.ts';
import type { Callout } from '../../src/facts/callout.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { offersFor } from '../../src/remedies/plans-for.ts';
import type { Problem, Remedy } from '../../src/remedies/remedy.ts';
import { snapshotOf } from './snapshot.ts';

type Case = {
  /** Completes the sentence "plans …", "refuses …", "does not apply when …". */
  readonly name: string;
  readonly facts: Partial<Facts>;
  /** The problem; default: that of the first webhook of the facts. */
  readonly problem?: Partial<Problem>;
};

interface Planned {
  readonly edits: readonly Edit[];
  /** Must match the summary. */
  readonly summary?: RegExp;
  /** Each must match a warning. */
  readonly warns?: readonly RegExp[];
  readonly fixes?: readonly string[];
  readonly typed?: string;
  readonly needsFlag?: string;
  /** It is offered last. */
  readonly unsure?: string;
  /** Must match the printed patch; absent: nothing is printed. */
  readonly print?: RegExp;
}

const sentence = /^[A-Z].*[.]$/;

/**
 * The cases that specify a remedy. Facts that a case does not give are complete and empty; the problem is the
 * first check that the remedy answers, and breaks the call.
 */
export function describeRemedy<
  R extends { readonly meta: Remedy['meta']; readonly requires: Remedy['requires'] },
>(
  definition: R,
  table: {
    readonly plans: readonly (Case & { readonly expect: Planned })[];
    readonly refuses?: readonly (Case & { readonly because: RegExp })[];
    readonly doesNotFit: readonly Case[];
    readonly isUnknown?: readonly Case[];
  },
): void {
  const remedy = definition as unknown as Remedy;
  const read = new Set<string>();
  const offer = ({ facts, problem }: Case) => {
    const snapshot = snapshotOf(facts);
    const watched: Remedy = {
      ...remedy,
      plan: (asked, given) => remedy.plan(asked, watch(given, read)),
    };
    const callout: Callout | undefined = facts.callouts?.[0];
    const [check = ''] = remedy.meta.answers;
    const whole: Problem = {
      check,
      breaks: true,
      ...(callout === undefined ? {} : { callout }),
      subject: callout?.ref ?? { kind: 'Pod', name: 'p' },
      ...problem,
    };
    const offers = offersFor(whole, snapshot.facts, [watched]);
    return offers[0];
  };

  describe(remedy.meta.id, () => {
    for (const one of table.plans) {
      it(`plans ${one.name}`, () => {
        const found = offer(one);
        if (found === undefined || !('plan' in found)) throw new Error(`no plan: ${JSON.stringify(found)}`);
        const { plan } = found;
        const wanted = one.expect;
        expect(plan.remedy).to.equal(remedy.meta.id);
        expect(plan.edits).to.deep.equal(wanted.edits);
        expect(plan.summary)
          .to.match(wanted.summary ?? /./)
          .and.not.match(/\.$|undefined/);
        expect(plan.typed).to.equal(wanted.typed);
        expect(plan.unsure).to.equal(wanted.unsure);
        expect(plan.needsFlag?.flag).to.equal(wanted.needsFlag);
        if (wanted.fixes !== undefined) expect(plan.fixes).to.deep.equal(wanted.fixes);
        for (const warning of plan.warnings)
          expect(warning)
            .to.match(sentence)
            .and.not.match(/undefined/);
        for (const warns of wanted.warns ?? []) {
          expect(
            plan.warnings.filter((warning) => warns.test(warning)),
            String(warns),
          ).to.have.length(1);
        }
        if (wanted.print === undefined) expect(plan.print).to.equal(undefined);
        else expect(plan.print).to.match(wanted.print);
      });
    }
    for (const one of table.refuses ?? []) {
      it(`refuses ${one.name}`, () => {
        const found = offer(one);
        if (found === undefined || !('refused' in found))
          throw new Error(`not refused: ${JSON.stringify(found)}`);
        expect(found.refused)
          .to.match(one.because)
          .and.not.match(/undefined/);
      });
    }
    for (const one of table.doesNotFit) {
      it(`does not apply when ${one.name}`, () => expect(offer(one)).to.equal(undefined));
    }
    for (const one of table.isUnknown ?? []) {
      it(`is unknown when ${one.name}`, () => expect(offer(one)).to.have.property('unread'));
    }
    it('changes nothing that it does not list', () => {
      for (const one of table.plans) {
        const found = offer(one);
        const plan = found !== undefined && 'plan' in found ? found.plan : undefined;
        for (const { operation, object, subresource } of plan?.edits ?? []) {
          const detail = remedy.meta.touches.some(
            (touch) =>
              touch.operation === operation &&
              touch.kinds.includes(object.kind) &&
              touch.subresource === subresource,
          );
          expect(detail, `${one.name}: ${operation} ${object.kind}`).to.equal(true);
        }
      }
    });
    it('reads exactly the facts that it requires', () => {
      expect([...read].sort()).to.deep.equal([...remedy.requires].sort());
    });
  });
}

const watch = (facts: Facts, read: Set<string>): Facts =>
  new Proxy(facts, {
    get(target, name: string) {
      if (name !== 'takenAt') read.add(name);
      return target[name as keyof Facts];
    },
  });
