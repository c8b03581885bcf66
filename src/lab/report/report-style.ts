// How a report looks. Colours are those of the dashboard (a test compares them); in print the paper is white.

const light = `--bg:#fff;--sunken:oklch(0.962 0.005 95);--line:oklch(0.905 0.006 95);--line-strong:oklch(0.635 0.012 260);--ink:oklch(0.225 0.018 265);--ink-2:oklch(0.43 0.018 265);--ink-3:oklch(0.53 0.018 265);--best:oklch(0.52 0.175 258);--best-ink:oklch(0.47 0.17 258)`;
const dark = `--bg:oklch(0.165 0.012 265);--sunken:oklch(0.205 0.014 265);--line:oklch(0.29 0.014 265);--line-strong:oklch(0.52 0.018 265);--ink:oklch(0.95 0.005 265);--ink-2:oklch(0.765 0.014 265);--ink-3:oklch(0.665 0.016 265);--best:oklch(0.7 0.15 252);--best-ink:oklch(0.78 0.115 250)`;

export const reportStyle = `
:root{color-scheme:light;${light};--sans:Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${dark}}}
*,*::before,*::after{box-sizing:border-box}
html{background:var(--bg);color:var(--ink);font:400 15px/24px var(--sans);text-size-adjust:100%;-webkit-text-size-adjust:100%}
body{margin:0}
main{max-width:848px;margin:0 auto;padding:56px 24px 80px}
h1,h2,h3,p,dl,dd,ol,figure,pre{margin:0;padding:0}
h1{font:600 36px/44px var(--sans);letter-spacing:-0.022em;overflow-wrap:anywhere}
h2{font:600 22px/30px var(--sans);letter-spacing:-0.015em;margin-top:64px;overflow-wrap:anywhere}
h3{font:600 15px/22px var(--sans);margin-top:36px;overflow-wrap:anywhere}
p,dd,li{max-width:44em;overflow-wrap:anywhere}
p{margin-top:12px}
a{color:var(--best-ink);text-underline-offset:3px}
:focus-visible{outline:2px solid var(--best);outline-offset:2px;border-radius:3px}
.kicker{margin:0 0 4px;color:var(--ink-2);font-size:13px}
.about{color:var(--ink-2);font-size:17px;line-height:26px;margin-top:8px}
.facts-line{color:var(--ink-3);font-size:13px;line-height:20px;font-variant-numeric:tabular-nums}
.lede{font-size:19px;line-height:28px;letter-spacing:-0.008em;font-weight:500;margin-top:12px;text-wrap:pretty}
.soft{color:var(--ink-2);font-size:13px;line-height:20px}
header+section>h2{margin-top:40px}
section.scenario+section.scenario{border-top:1px solid var(--line)}
nav ol{padding-left:24px;margin-top:8px;columns:3 13em;column-gap:24px}
nav li{break-inside:avoid}
nav li{padding:2px 0}
dl.choice{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:16px 20px;margin-top:12px}
dl.choice>div{display:flex;flex-direction:column-reverse;justify-content:flex-end;border-top:1px solid var(--line-strong);padding-top:8px}
dl.choice dd{font:500 26px/32px var(--sans);letter-spacing:-0.02em;font-variant-numeric:tabular-nums}
dl.choice dt{font-size:13px;line-height:18px}
dl.choice dt span{display:block;color:var(--ink-3);font-size:12px}
figure{break-inside:avoid}
figure h3{margin-bottom:10px}
figcaption{color:var(--ink-2);font-size:13px;line-height:20px;margin-top:10px;max-width:54em}
svg.plot{display:block;max-width:100%;height:auto;font:12px/16px var(--sans);font-variant-numeric:tabular-nums}
svg.narrow{display:none}
svg text{fill:var(--ink)}
svg .tick,svg .axis-label{fill:var(--ink-3);font-size:12px}
svg .note{fill:var(--ink-2)}
svg .line-label{fill:var(--ink-2)}
svg .name,svg .note,svg .line-label{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}
svg .name{font-size:12.5px}
svg .note-head{fill:var(--ink-3)}
svg.sign{display:inline-block;width:.72em;height:.72em;margin-right:.35em;vertical-align:-.02em}
svg.sign.best{fill:var(--best)}
svg.sign.worse{fill:var(--ink)}
svg.sign.same{fill:none;stroke:var(--ink-3);stroke-width:1.5}
figcaption svg.sign,p svg.sign{margin-right:0}
.key{white-space:nowrap}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
svg .grid{stroke:var(--line);stroke-width:1}
svg .axis{stroke:var(--line-strong);stroke-width:1}
svg .bound{stroke:var(--ink-2);stroke-width:1.2;stroke-dasharray:4 3}
svg .longest-first{stroke:var(--ink-2);stroke-width:1.4;stroke-dasharray:1.4 2.6}
svg .zero{stroke:var(--ink-2);stroke-width:1.2}
svg .dots{fill:none;stroke:var(--line-strong);stroke-width:3.2;stroke-linecap:round}
svg .whisker{fill:none;stroke:var(--ink);stroke-width:1.5}
svg .mean{fill:var(--ink);stroke:var(--bg);stroke-width:1}
svg .same .whisker{stroke:var(--ink-3)}
svg .same .mean{fill:var(--bg);stroke:var(--ink-3);stroke-width:1.6}
svg .best .whisker{stroke:var(--best)}
svg .best .mean{fill:var(--best)}
svg .best .name,svg .best .note{fill:var(--best-ink);font-weight:600}
svg .none text{fill:var(--ink-3)}
.panels{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:20px 14px}
.panel{break-inside:avoid;display:flex;flex-direction:column;justify-content:space-between}
.panel-title{margin:0 0 4px;font-size:12.5px;line-height:16px;min-height:32px}
.panel-title span{display:block;color:var(--ink-3)}
details{margin-top:12px;border-top:1px solid var(--line);padding-top:6px}
summary{cursor:pointer;font-size:13px;line-height:24px;color:var(--ink-2);width:fit-content}
summary:hover{color:var(--ink)}
.wide-table{position:relative;overflow-x:auto;margin-top:8px}
table{border-collapse:collapse;width:100%;font-size:13px;line-height:18px}
caption{text-align:left;color:var(--ink-3);font-size:12px;padding-bottom:4px}
th,td{padding:4px 10px 4px 0;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--ink-3);border-bottom-color:var(--line-strong);vertical-align:bottom}
.number{text-align:right;font-variant-numeric:tabular-nums}
@media screen{.wide-table th[scope=row]{position:sticky;left:0;background:var(--bg)}
.wide-table{background:linear-gradient(to left,var(--bg) 50%,transparent) right/56px 100% no-repeat local,linear-gradient(to left,var(--line-strong),transparent) right/14px 100% no-repeat scroll}}
tr.group th{font-weight:600;padding-top:18px;border-bottom-color:var(--line-strong)}
tr.group th span,table.summary th span{font-weight:400;color:var(--ink-3)}
tr.best th,tr.best td,td.best{color:var(--best-ink);font-weight:600}
tr.same td,td.same{color:var(--ink-2)}
table.summary thead th{white-space:normal;line-height:16px}
table.summary td,table.summary thead th.number{padding:4px 6px}
table.summary tbody th,table.summary tfoot th{padding-right:4px}
table.summary td svg.sign{margin-right:.2em}
.far-1{background:color-mix(in oklch,var(--ink) 5%,var(--bg))}
.far-2{background:color-mix(in oklch,var(--ink) 11%,var(--bg))}
.far-3{background:color-mix(in oklch,var(--ink) 19%,var(--bg))}
p span[class^=far]{padding:1px 4px}
.far-1,.far-2,.far-3{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.below{display:none}
.below table{margin-top:16px}
.below table.summary th,.below table.summary td{width:25%;white-space:normal;overflow-wrap:anywhere}
.below table.summary thead span{display:block;font-size:11px;line-height:14px}
table.summary th[scope=row] span{display:block;font-size:11.5px;line-height:15px}
tfoot th,tfoot td{border-bottom:0;color:var(--ink-2)}
pre{margin-top:8px;padding:12px 14px;background:var(--sunken);border-radius:6px;font:12.5px/19px var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
code{font:0.9em var(--mono)}
.hash{overflow-wrap:anywhere;white-space:normal;color:var(--ink-2)}
table.facts{margin-top:20px}
table.facts th,table.facts td{white-space:normal;overflow-wrap:anywhere;min-width:3em}
dl.notes{display:grid;grid-template-columns:180px minmax(0,1fr);gap:10px 24px;margin-top:16px;font-size:14px;line-height:22px}
dl.notes dt{font-weight:600}
@media screen and (max-width:640px){
.beside{display:none}
.below{display:block}
}
@media (max-width:640px){
main{padding:32px 16px 56px}
h1{font-size:28px;line-height:36px}
h2{margin-top:48px}
.about{font-size:16px;line-height:24px}
.lede{font-size:17px;line-height:26px}
svg.wide{display:none}
svg.narrow{display:block}
dl.choice{grid-template-columns:repeat(2,minmax(0,1fr))}
.panels{grid-template-columns:minmax(0,1fr)}
.panel svg{width:100%;max-width:290px}
.panel-title{min-height:0}
dl.notes{display:block}
dl.notes dd{margin-bottom:12px}
}
@media (min-width:500px) and (max-width:640px){.panels{grid-template-columns:repeat(2,minmax(0,1fr))}}
@page{size:A4;margin:18mm 16mm}
@media print{
.many .beside{display:none}
.many .below{display:block}
html{font-size:10pt;line-height:1.45}
h1{font-size:24pt;line-height:1.2}
h2{font-size:15pt;line-height:1.3}
h3{font-size:10.5pt;line-height:1.4}
.about,.lede{font-size:12pt;line-height:1.4}
.kicker,.facts-line,.soft,figcaption,dl.notes{font-size:9pt;line-height:1.4}
table.summary th[scope=row] span,caption{font-size:8pt;line-height:1.3}
table.summary td,table.summary thead th.number{padding:3px 4px}
main{max-width:none;padding:0}
h1,h2,h3,caption,summary{break-after:avoid}
h2{margin-top:28px}
section.scenario+section.scenario{break-before:page;border:0}
section.scenario+section.scenario h2{margin-top:0}
figure,dl.choice,tr,.lede{break-inside:avoid}
thead{display:table-header-group}
details::details-content{content-visibility:visible;display:block;block-size:auto}
@supports not selector(details::details-content){details:not([open]){display:none}}
summary{list-style:none}
summary::-webkit-details-marker{display:none}
.wide-table{overflow:visible}
th{white-space:normal;overflow-wrap:anywhere}
table{font-size:8.5pt;line-height:1.3}
a{color:inherit;text-decoration:none}
pre{border:1px solid var(--line);background:none}
svg.plot{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`;
