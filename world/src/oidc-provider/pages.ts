import { html } from 'hono/html'
import { faults } from './faults.ts'
import type { ProviderUser } from './users.ts'

/** Renders the sign-in page of a simulated identity provider, in a style unlike Passport's. */
export function renderSignInPage(name: string, query: Record<string, string>, users: ProviderUser[]) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in to ${name}</title>
<link rel="icon" href="data:,">
<style>
body { font: 16px/1.5 system-ui, sans-serif; background: #e8f1f2; color: #12343b; margin: 0; padding: 8vh 16px }
main { max-width: 420px; margin: 0 auto; background: #fff; border-radius: 4px; padding: 24px }
button { font: inherit; width: 100%; padding: 12px; margin: 4px 0; border: 1px solid #12343b; border-radius: 4px; background: #fff; color: inherit; text-align: left; cursor: pointer }
label { display: block; margin-top: 16px } input, select { font: inherit; width: 100%; padding: 8px; box-sizing: border-box }
</style>
</head>
<body>
<main>
<h1>${name}</h1>
<p>This simulates an external identity provider. No passwords are needed.</p>
<form method="post" action="/authorize">
${Object.entries(query).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${users.map(({ name, email }) => html`<button name="name" value="${name}">${name}<br><small>${email}</small></button>`)}
</form>
<form method="post" action="/authorize">
${Object.entries(query).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>Or enter a new name <input name="name" value="Noor Visser" required></label>
<label>Behaviour of ${name} <select name="fault">${Object.entries(faults).map(([name, words]) => html`<option value="${name}">${words}</option>`)}</select></label>
<p><button>Continue</button></p>
</form>
</main>
</body>
</html>`
}
