import { expect } from 'chai';
import { inCatalogue } from '../../src/checks/catalogue.ts';
import type { Check, DefinedCheck, Finding } from '../../src/checks/check.ts';
import { messageText } from '../../src/checks/check.ts';
import { runCheck } from '../../src/diagnose/findings/run-check.ts';
import type { Confidence } from '../../src/facts/evidence.ts';
import { isLookup, nothingRead } from '../../src/facts/lookup.ts';
import type { ObjectRef } from '../../src/facts/object-ref.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { expectShort } from './message-words.ts';
import { snapshotOf } from './snapshot.ts';

interface Reported {
  readonly messageId: string;
  readonly data?: Readonly<Record<string, string | number>>;
  /** Some of the values for the placeholders of the advice. */
  readonly names?: Finding['names'];
  readonly confidence?: Confidence;
  readonly severity?: Finding['severity'];
  readonly subject?: ObjectRef;
  /** A value in its evidence. */
  readonly evidence?: string;
}
interface ReportedCase {
  /** Completes the sentence "reports …". */
  readonly name: string;
  readonly facts: Partial<Facts>;
  readonly expect: Reported | readonly Reported[];
}
interface PassingCase {
  /** Completes the sentence "reports nothing when …". */
  readonly name: string;
  readonly facts: Partial<Facts>;
  readonly outcome?: 'pass' | 'not-applicable';
}
interface UnknownCase {
  /** Completes the sentence "is unknown when …". */
  readonly name: string;
  readonly facts: Partial<Facts>;
}

/**
 * The cases that specify a check. Facts that a case does not give are complete and empty. Also tests that a
 * case covers every message of the check, that its texts can be filled in, that it reads exactly its required facts, and
 * that it does not crash if one of them could not be read.
 */
export function describeCheck<C extends Pick<DefinedCheck, 'meta' | 'requires'>>(
  definition: C,
  table: {
    readonly reports: readonly ReportedCase[];
    readonly reportsNothing: readonly PassingCase[];
    readonly isUnknown?: readonly UnknownCase[];
  },
): void {
  const check = inCatalogue(definition as unknown as DefinedCheck);
  /** The data that the message has, and what else is expected: messages of one check can share more than each of them has. */
  const shownData = ({ messageId, data }: Finding, expected: object) => {
    const text = messageText(check.meta.messages[messageId] ?? '');
    return Object.fromEntries(
      Object.entries(data).filter(([name]) => text.includes(`{${name}}`) || name in expected),
    );
  };
  const run = (facts: Partial<Facts>, read = new Set<string>()) => {
    const snapshot = snapshotOf(facts);
    const watched: Check = {
      ...check,
      subjects: (given) => check.subjects(watch(given, read)),
      run: (subject, given, find) => check.run(subject, watch(given, read), find),
    };
    return runCheck(watched, snapshot.facts);
  };

  describe(check.meta.id, () => {
    for (const { name, facts, expect: expected } of table.reports) {
      it(`reports ${name}`, () => {
        const results = run(facts);
        expect(results.find(({ outcome }) => outcome === 'error')?.error).to.equal(undefined);
        const found = results.flatMap(({ findings }) => findings);
        const wanted = [expected].flat() as readonly Reported[];
        expect(found.map(({ messageId }) => messageId)).to.deep.equal(
          wanted.map(({ messageId }) => messageId),
        );
        for (const [at, want] of wanted.entries()) {
          const finding = found[at];
          if (finding === undefined) continue;
          if (want.data !== undefined) expect(shownData(finding, want.data)).to.deep.equal(want.data);
          if (want.names !== undefined) expect(finding.names).to.include(want.names);
          if (want.confidence !== undefined) expect(finding.confidence).to.equal(want.confidence);
          if (want.severity !== undefined) expect(finding.severity).to.equal(want.severity);
          if (want.subject !== undefined) expect(finding.subject).to.deep.equal(want.subject);
          if (want.evidence !== undefined)
            expect(finding.evidence.map(({ value }) => value)).to.include(want.evidence);
          const text = messageText(check.meta.messages[finding.messageId] ?? '');
          for (const [, placeholder] of text.matchAll(/\{(\w+)\}/g)) {
            expect(finding.data, `data for {${placeholder}}`).to.have.property(placeholder as string);
          }
          expectShort(
            check.meta.id,
            text.replace(/\{(\w+)\}/g, (_, placeholder: string) => String(finding.data[placeholder])),
          );
        }
      });
    }
    for (const { name, facts, outcome } of table.reportsNothing) {
      it(`reports nothing when ${name}`, () => {
        const results = run(facts);
        expect(
          results.map((result) => result.error ?? result.unread ?? result.findings[0]).filter(Boolean),
        ).to.deep.equal([]);
        if (outcome !== undefined)
          expect(new Set(results.map((result) => result.outcome))).to.deep.equal(new Set([outcome]));
      });
    }
    for (const { name, facts } of table.isUnknown ?? []) {
      it(`is unknown when ${name}`, () => {
        const outcomes = run(facts).map(({ outcome }) => outcome);
        expect(outcomes).to.include('unknown');
        expect(outcomes).to.not.include('error');
      });
    }
    it('does not crash if one of its facts could not be read', () => {
      for (const { facts } of table.reports) {
        const given = snapshotOf(facts).facts;
        for (const fact of check.requires.filter((name) => isLookup(given[name]))) {
          const unread = nothingRead({ what: fact, why: 'forbidden' });
          const errors = runCheck(check, { ...given, [fact]: unread }).map(({ error }) => error);
          expect(errors.filter(Boolean), fact).to.deep.equal([]);
        }
      }
    });

    it('has a case for every message, and reads exactly the facts that it requires', () => {
      const cases = [...table.reports, ...table.reportsNothing, ...(table.isUnknown ?? [])];
      const read = new Set<string>();
      const findings = cases.flatMap(({ facts }) => run(facts, read).flatMap((result) => result.findings));
      const reached = new Set(findings.map(({ messageId }) => messageId));
      expect([...reached].sort()).to.deep.equal(Object.keys(check.meta.messages).sort());
      expect([...read].sort()).to.deep.equal([...check.requires].sort());
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
