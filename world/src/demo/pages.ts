import { html, raw } from 'hono/html'
import { renderSVG } from 'uqr'
import { type DemoUser, demoPeople } from './furnish.ts'
import type { Headset } from './headset.ts'
import type { Thing } from './things.ts'

const renderPage = (title: string, body: unknown, head: unknown = '') => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title}</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --page: light-dark(#faf7f1, #171410); --card: light-dark(#fff, #211d17); --text: light-dark(#2d2417, #f0eae0); --quiet: light-dark(#665a47, #b5a992); --line: light-dark(#e5dccb, #3b3428); --link: light-dark(#8a4a0f, #f0b27a) }
* { box-sizing: border-box } body { font: 16px/1.5 system-ui, sans-serif; background: var(--page); color: var(--text); margin: 0; padding: 5vh 16px 64px }
main { max-width: 860px; margin: 0 auto } h1 { font-size: 28px; line-height: 1.2; margin: 0 0 8px } h2 { font-size: 18px; margin: 0 } h3 { font-size: 15px; margin: 40px 0 8px }
p { margin: 0 } .quiet { color: var(--quiet) } a { color: var(--link) } code { font-size: 14px; overflow-wrap: anywhere }
ol { list-style: none; padding: 0; margin: 28px 0 0; display: grid; gap: 12px } li.thing { display: grid; grid-template-columns: 40px 1fr; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px 20px 16px 12px }
.number { font-size: 20px; font-weight: 650; color: var(--quiet); text-align: center } .links { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; margin-top: 12px }
.button { font-weight: 600; color: var(--page); background: var(--text); text-decoration: none; border-radius: 6px; padding: 7px 14px } .button:hover { opacity: .88 } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.people { display: flex; flex-wrap: wrap; gap: 8px 20px; margin-top: 16px } ul { padding-left: 20px; margin: 0 } .code { font: 700 40px/1.2 ui-monospace, monospace; letter-spacing: 3px; margin: 16px 0 } .qr svg { width: 200px; height: 200px; background: #fff }
@media (max-width: 480px) { li.thing { grid-template-columns: 1fr; padding: 16px } .number { text-align: left } }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`

interface Overview {
  brandUrl: string
  password: string
  things: Thing[]
  /** Addresses that are no thing to try by themselves, with what they are. */
  places: { text: string; url: string }[]
}

const roles: Record<DemoUser, string> = { ada: 'administrator', dev: 'developer', eve: 'user' }

/** Renders the things to try. The links of this page lead through `/{number}`, `/{number}/{index}` and `/as/{user}`. */
export const renderThings = ({ brandUrl, password, things, places }: Overview) =>
  renderPage(
    'Ten things to try',
    html`<h1>Ten things to try</h1>
<p class="quiet">Passport runs at <a href="${brandUrl}">${brandUrl}</a>, with simulated services around it. Nothing leaves this machine.</p>
<p class="people">${Object.entries(demoPeople).map(([user, name]) => html`<a href="/as/${user}">Sign in as ${name.split(' ')[0]}, ${roles[user as DemoUser]}</a>`)}</p>
<p class="quiet">Or sign in as <code>ada</code>, <code>dev</code> or <code>eve</code> with the password <code>${password}</code></p>
<ol>${things.map(
      (
        { title, text, link, more = [] },
        index,
      ) => html`<li class="thing"><span class="number" aria-hidden="true">${index + 1}</span><div>
<h2>${title}</h2>
<p class="quiet">${text}</p>
<p class="links"><a class="button" href="/${index + 1}">${link.text}</a>${more.map(({ text }, other) => html`<a href="/${index + 1}/${other + 1}">${text}</a>`)}</p>
</div></li>`,
    )}</ol>
<h3>Around Passport</h3>
<ul>${places.map(({ text, url }) => html`<li><a href="${url}">${text}</a></li>`)}</ul>`,
  )

/** Renders the screen of the simulated headset, which asks Passport every few seconds. */
export const renderHeadset = ({ userCode, approveUrl, completeUrl, user, error, intervalSeconds }: Headset) =>
  user !== undefined || error !== undefined
    ? renderPage(
        'Headset',
        html`<h1>${user === undefined ? 'Not signed in' : `Hello, ${user}`}</h1>
<p class="quiet">${user === undefined ? error : 'The headset has a token of its own.'}</p>
<p class="links"><a class="button" href="/headset">Start again</a> <a href="/">All things to try</a></p>`,
      )
    : renderPage(
        'Headset',
        html`<h1>Sign in to use this headset</h1>
<p class="quiet">Open <a href="${approveUrl}">${approveUrl}</a> and enter</p>
<p class="code">${userCode}</p>
<div class="qr" role="img" aria-label="A QR code of the same address">${raw(renderSVG(completeUrl))}</div>
<p class="links"><a class="button" href="${completeUrl}" target="_blank" rel="noreferrer">Approve in this browser</a></p>`,
        html`<meta http-equiv="refresh" content="${intervalSeconds}">`,
      )
