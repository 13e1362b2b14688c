import { createHash } from 'node:crypto';
import { html, type Markup, raw } from './markup.ts';

/** Style of all pages, with the dark mode of the operating system. */
const style = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2128;--soft:#59636e;--line:#d1d9e0;--card:#f6f8fa;
--good:#1a7f37;--bad:#cf222e;--warning:#9a6700;--unknown:#8250df;--open:#818b98}
@media screen and (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--card:#151b23;
--good:#3fb950;--bad:#f85149;--warning:#d29922;--unknown:#ab7df8;--open:#6e7681}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.05rem;margin:0}h3{font-size:.95rem;margin:1rem 0 .2rem}
p{margin:.4rem 0}code,pre{font:13px/1.5 ui-monospace,monospace}
pre{margin:.3rem 0;padding:.5rem .7rem;background:var(--paper);border:1px solid var(--line);border-radius:6px;
white-space:pre-wrap}
.soft{color:var(--soft)}
form{display:flex;flex-wrap:wrap;gap:.4rem .9rem;align-items:center;margin:1rem 0;padding:.6rem 0;position:sticky;top:0;
background:var(--paper);border-bottom:1px solid var(--line)}
form label{white-space:nowrap}
input[type=search]{flex:1 1 12rem;min-width:8rem;padding:.4rem .6rem;font:inherit;color:inherit;background:var(--card);
border:1px solid var(--line);border-radius:6px}
article{margin:.8rem 0;padding:.8rem 1rem;background:var(--card);border:1px solid var(--line);border-left:5px solid;
border-radius:8px}
article[hidden],form[hidden]{display:none}
article.failing,article.error{border-left-color:var(--bad)}
article.degraded,article.warning{border-left-color:var(--warning)}
article.unknown,article.unread{border-left-color:var(--unknown)}
article.healthy{border-left-color:var(--good)}article.info{border-left-color:var(--open)}
.state{text-transform:uppercase;font-size:.75rem;font-weight:700;letter-spacing:.04em}
.failing .state,.error .state{color:var(--bad)}.degraded .state,.warning .state{color:var(--warning)}
.unknown .state,.unread .state{color:var(--unknown)}.healthy .state{color:var(--good)}
.message{font-weight:600}
.chain{overflow-x:auto;margin:.6rem 0}
svg{display:block;min-width:640px;max-width:100%;height:auto}
svg rect{fill:var(--paper);stroke:currentColor;stroke-width:1.5}
svg text{fill:currentColor;text-anchor:middle;font:12px system-ui,sans-serif}svg .link{fill:var(--ink)}
svg .arrow{fill:none;stroke:currentColor;stroke-width:1.5}
svg .good{color:var(--good)}svg .bad{color:var(--bad)}svg .warning{color:var(--warning)}
svg .unknown{color:var(--unknown)}svg .open{color:var(--open)}svg .bad rect{stroke-width:3}
svg .bar{fill:currentColor;stroke:none}svg .bar.bad{stroke-width:0}
span.good{color:var(--good)}span.bad{color:var(--bad)}span.warning{color:var(--warning)}span.open{color:var(--open)}
svg .open rect{stroke-dasharray:4 3}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td code{white-space:pre-wrap}
td:first-child{width:55%}.parts td:nth-child(2):not(:last-child){white-space:nowrap}td,th{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-top:1px solid var(--line)}
summary{cursor:pointer}
article summary{overflow-wrap:anywhere}
section{margin:.6rem 0;padding:.2rem 1rem;border-left:5px solid var(--line)}section.failing{border-left-color:var(--bad)}
section.degraded{border-left-color:var(--warning)}ul{margin:.3rem 0;padding-left:1.2rem}
table.broken{margin:1rem 0}@media print,(min-width:40rem){table.broken{overflow-wrap:break-word}.broken td:nth-child(2){overflow-wrap:anywhere}}table.broken td:first-child{width:auto;white-space:nowrap}
td.state{font-size:.75rem}tr.failing .state{color:var(--bad)}tr.degraded .state{color:var(--warning)}
tr.unknown .state{color:var(--unknown)}
footer{margin:2rem 0;color:var(--soft);font-size:.85rem}
@media (max-width:40rem){form{position:static}
.parts,.parts tbody,.parts tr,.parts td,.parts td:first-child{display:block;width:auto;padding-right:0}
.parts td+td{border-top:0;padding-top:0}.broken th{display:none}.broken tr{display:block;border-top:1px solid var(--line)}
.broken td{display:inline-block;border-top:0}.broken td:nth-child(2){display:block;font-weight:600}}
@media print{form{display:none}body{max-width:none;padding:0;font-size:10pt}code,pre{font-size:8.5pt}
article{margin:.25rem 0;padding:.25rem .6rem;border-width:0 0 0 3px;border-radius:0}
h1,h2,h3{break-after:avoid}section,tr,pre,svg,article:not(:has([open])){break-inside:avoid}}
`;

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Content-Security-Policy: only style and script of this program apply, whatever text the report contains. */
const policy = (script: string | undefined): string => {
  const scripts = script === undefined ? '' : `script-src ${hash(script)}; `;
  return `default-src 'none'; style-src ${hash(style)}; ${scripts}base-uri 'none'; form-action 'none'`;
};

/** A page in a single file: readable offline, in light and dark mode. */
export const page = (title: string, body: Markup, script?: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(script)}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
${body}
${script === undefined ? undefined : html`<script>${raw(script)}</script>`}
</body>
</html>
`.text;
