import { expect } from 'chai';
import { renderSoakHtml } from '../../src/render/html/soak-html.ts';
import type { SoakReport } from '../../src/soak/soak-report.ts';

const second = { checked: 20, unchecked: 0, failed: 0, other: 0, slow: 0 };
const gap = { ...second, checked: 12, unchecked: 8 };
const soak = (over: Partial<SoakReport> = {}): SoakReport => ({
  apiVersion: 'kubectl-webhook/v1',
  kind: 'SoakReport',
  takenAt: '2026-01-01T00:00:00.000Z',
  callout: {
    kind: 'validating',
    configuration: 'policy',
    webhook: 'policy.example.com',
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
  },
  object: { kind: 'ConfigMap', namespace: 'shop', name: 'denied', by: 'given' },
  shows: { by: 'denial' },
  rate: 20,
  during: { command: './rollout.sh', exitCode: 0, from: 1, to: 2 },
  seconds: 3,
  interrupted: false,
  totals: { ...second, checked: 52, unchecked: 8, requests: 60, notSent: 0 },
  failures: [],
  timeline: [second, gap, second],
  ...over,
});

describe('a soak as HTML', () => {
  it('draws a bar for every outcome of every second', () => {
    const page = renderSoakHtml(soak());
    expect(page.match(/class="bar good"/g)).to.have.length(3);
    expect(page.match(/class="bar bad"/g)).to.have.length(1);
    expect(page).to.include('second 1: 8 admitted unchecked').and.include('8 (13.33 %)');
  });

  it('shows an earlier one beside it', () => {
    const now = soak({
      takenAt: '2026-01-02T00:00:00.000Z',
      totals: { ...second, checked: 60, requests: 60, notSent: 0 },
      timeline: [second, second, second],
    });
    const page = renderSoakHtml(now, soak());
    expect(page).to.match(/admitted unchecked<\/td><td>8 \(13\.33 %\)<\/td><td>0 \(0\.00 %\)<\/td>/);
    expect(page.match(/<svg /g)).to.have.length(2);
  });

  it('contains nothing executable', () => {
    const page = renderSoakHtml(
      soak({ failures: [{ count: 1, message: '<script>alert(1)</script>' }], timeline: [] }),
    );
    expect(page).to.not.include('<script');
    expect(page).to.include("default-src 'none'".replaceAll("'", '&#39;'));
  });
});
