"""The style and the script of the decisions page: constants, so that their digests are too."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root{--ground:#fbfaf8;--card:#fff;--ink:#1d1f23;--soft:#585d66;--line:#dcd9d2;--link:#1f4e8c;
--force:#1b6b3a;--force-b:#e2f1e6;--caution:#7a5200;--caution-b:#fbeecb;--gone:#555a63;
--gone-b:#e9e9ea;--prop:#4b3f96;--prop-b:#e9e6f8;--no:#9b1c2e;--no-b:#fae3e6;--code:#f1efea}
@media (prefers-color-scheme:dark){:root{--ground:#15171b;--card:#1d2026;--ink:#e8e6e1;
--soft:#a9adb6;--line:#363a43;--link:#8db8f2;--force:#8fd6a8;--force-b:#173524;--caution:#f0c871;
--caution-b:#3a2d0e;--gone:#b5b9c1;--gone-b:#2b2e35;--prop:#bdb2f5;--prop-b:#2b2650;--no:#f3a3ae;
--no-b:#451a22;--code:#262a31}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,
"Segoe UI",Roboto,"Noto Sans",sans-serif}
a{color:var(--link)}
a:focus-visible,summary:focus-visible,input:focus-visible,select:focus-visible,
.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:2}
header{padding:2rem clamp(1rem,4vw,3rem) 1rem;border-bottom:1px solid var(--line)}
h1{margin:0;font-size:1.7rem;line-height:1.25;overflow-wrap:anywhere}
header p{margin:.25rem 0 0;color:var(--soft)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:1rem 0 0;padding:0}
.badge{display:inline-block;border-radius:999px;padding:.1rem .7rem;font-size:.85rem;
font-weight:600;background:var(--gone-b);color:var(--gone)}
.badge.in_force{background:var(--force-b);color:var(--force)}
.badge.caution{background:var(--caution-b);color:var(--caution)}
.badge.unassessed{background:var(--prop-b);color:var(--prop)}
.badge.rejected{background:var(--no-b);color:var(--no)}
.search{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:end;margin-top:1.25rem}
.search[hidden]{display:none}
.search label{display:grid;gap:.2rem;font-size:.85rem;color:var(--soft)}
.search label:first-child{flex:1 1 16rem;max-width:34rem}
input,select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--soft);
border-radius:6px;padding:.45rem .6rem;width:100%;height:2.6rem}
output{color:var(--soft);font-size:.9rem;padding-bottom:.5rem}
.frame{display:grid;grid-template-columns:minmax(13rem,19rem) minmax(0,1fr);gap:2rem;
padding:1.5rem clamp(1rem,4vw,3rem) 4rem;max-width:88rem}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:.25rem 0 1rem}
nav h2{font-size:1rem;margin:0 0 .5rem}
nav h3{font-size:.8rem;color:var(--soft);margin:.9rem 0 .25rem;letter-spacing:.04em}
nav ol{list-style:none;margin:0;padding:0}
nav ol ol li{border-left:3px solid var(--gone);padding-left:.6rem;margin:.3rem 0}
nav li.in_force{border-color:var(--force)}nav li.caution{border-color:var(--caution)}
nav li.unassessed{border-color:var(--prop)}
nav li.not_in_force a{color:var(--soft)}
nav a{display:block;text-decoration:none;font-size:.9rem;line-height:1.35;overflow-wrap:anywhere}
nav a:hover{text-decoration:underline}
nav time{color:var(--soft);font-size:.78rem;display:block}
.reason:not(:empty)::before{content:"\\00b7 "}
main{min-width:0}
.card{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--gone);
border-radius:8px;padding:1rem 1.25rem;margin:0 0 1.25rem}
.card.in_force{border-left-color:var(--force)}.card.caution{border-left-color:var(--caution)}
.card.unassessed{border-left-color:var(--prop)}.card.rejected{border-left-color:var(--no)}
.card:target{box-shadow:0 0 0 3px var(--link)}
.card h2,.card>h3{margin:.35rem 0 .4rem;font-size:1.2rem;line-height:1.3;overflow-wrap:anywhere}
.line{margin:0;font-size:.85rem;color:var(--soft)}
.ruling{font-size:1.05rem;margin:.4rem 0;padding-left:.8rem;border-left:3px solid var(--line);
overflow-wrap:anywhere}
.relations{margin:.5rem 0;padding-left:1.2rem}
.note,.uri,.reason{color:var(--soft);font-size:.9em;overflow-wrap:anywhere}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--link);width:max-content;max-width:100%}
.body{padding:.25rem 0 0;max-width:46rem;overflow-wrap:anywhere}
.body h3{font-size:1.1rem}.body h4{font-size:1rem}.body h5,.body h6{font-size:.95rem}
.body h3,.body h4,.body h5,.body h6{margin:1rem 0 .3rem;line-height:1.3}
.body p{margin:.5rem 0}
.body ul{margin:.5rem 0;padding-left:1.2rem}
.n{list-style:none;margin-left:-1.1rem}
nav>ol>li:not(:has(li:not([hidden]))){display:none}
.d1{margin-left:1.2rem}.d2{margin-left:2.4rem}.d3{margin-left:3.6rem}.d4{margin-left:4.8rem}
.n.d1{margin-left:.1rem}.n.d2{margin-left:1.3rem}
pre{background:var(--code);border-radius:6px;padding:.7rem .9rem;white-space:pre-wrap;
overflow-wrap:anywhere;font-size:.85rem}
code{background:var(--code);border-radius:4px;padding:.05em .3em;font-size:.9em;
overflow-wrap:anywhere}
pre code{background:none;padding:0;font-size:inherit}
blockquote{margin:.5rem 0;padding-left:.9rem;border-left:3px solid var(--line);color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}
dl{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;margin:.8rem 0 0;font-size:.82rem;
color:var(--soft)}
dl div{display:flex;gap:.4rem;max-width:100%}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
.tag{border:1px solid var(--line);border-radius:4px;padding:0 .35rem}
.none{color:var(--soft);padding:1rem 0}
[hidden]{display:none}
@media (max-width:52rem){.frame{grid-template-columns:minmax(0,1fr);gap:1rem}
nav{position:static;max-height:16rem;border:1px solid var(--line);border-radius:8px;
padding:.75rem 1rem}}
@media (prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
@media print{nav,.search,.skip{display:none}.frame{display:block}.card{break-inside:avoid}}
"""

SCRIPT: Final = """
(function () {
  'use strict';
  var cards = Array.prototype.slice.call(document.querySelectorAll('main .card'));
  var texts = cards.map(function (card) { return card.textContent.toLowerCase(); });
  var words = document.getElementById('words');
  var standing = document.getElementById('standing');
  var kind = document.getElementById('kind');
  var found = document.getElementById('found');
  var none = document.getElementById('none');
  var links = {};
  document.querySelectorAll('nav a').forEach(function (link) {
    links[link.getAttribute('href').slice(1)] = link.parentNode;
  });
  function narrow() {
    var wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    var count = 0;
    cards.forEach(function (card, at) {
      var fits = wanted.every(function (word) { return texts[at].indexOf(word) >= 0; }) &&
        (!standing.value || card.dataset.standing === standing.value) &&
        (!kind.value || card.dataset.kind === kind.value);
      card.hidden = !fits;
      if (links[card.id]) { links[card.id].hidden = !fits; }
      count += fits ? 1 : 0;
    });
    none.hidden = count > 0;
    found.textContent = count + ' of ' + cards.length + ' shown';
  }
  function open() {
    var target = document.getElementById(location.hash.slice(1));
    if (target && target.hidden) {
      words.value = ''; standing.value = ''; kind.value = '';
      narrow();
      target.scrollIntoView();
    }
  }
  [words, standing, kind].forEach(function (one) { one.addEventListener('input', narrow); });
  window.addEventListener('hashchange', open);
  document.getElementById('search').hidden = false;
  narrow();
}());
"""
