import { html } from 'hono/html'
import { type Cloud, graphPermissions, listGroupIds } from './cloud.ts'
import type { EntraPerson, EntraTenant } from './directory.ts'
import type { EntraError } from './errors.ts'
import { consentFaults, faults, signInFaults } from './faults.ts'

const cloudNames: Record<string, string> = {
  AzurePublic: 'Entra',
  AzureUSGovernment: 'Entra for the US government',
  AzureChina: 'Entra in China',
}

export const cloudNameOf = ({ options }: Cloud) => cloudNames[options.id ?? 'AzurePublic'] ?? `Entra ${options.id}`

const renderPage = (title: string, body: unknown, isWide = false) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>
body { font: 15px/1.4 'Segoe UI', system-ui, sans-serif; background: #e9ecef; color: #1b1b1b; margin: 0; padding: 6vh 16px; overflow-wrap: anywhere }
main { max-width: ${isWide ? 880 : 440}px; margin: 0 auto; background: #fff; padding: 36px; box-sizing: border-box; box-shadow: 0 2px 6px #0003 }
.name { color: #5e5e5e; font-weight: 600; margin: 0 0 12px } h1 { font-size: 24px; font-weight: 600; margin: 0 0 12px } h2 { font-size: 17px; margin: 28px 0 4px }
p { margin: 0 0 12px } ul { margin: 0 0 12px; padding-left: 20px } small, .quiet { color: #5e5e5e }
button { font: inherit; padding: 6px 20px; border: 0; background: #ccc; color: inherit; cursor: pointer } button.primary { background: #0f5a9c; color: #fff }
button.person { display: block; width: 100%; padding: 12px 8px; background: none; border-bottom: 1px solid #ddd; text-align: left } button.person:hover { background: #f2f2f2 }
label { display: block; margin: 12px 0 } select { font: inherit; width: 100%; padding: 6px; box-sizing: border-box } label.check { display: inline-flex; gap: 6px; margin: 0 16px 8px 0 }
.actions { display: flex; gap: 8px; justify-content: flex-end; margin-top: 20px } table { border-collapse: collapse; width: 100% } td { padding: 4px 12px 4px 0; vertical-align: top } details { margin-top: 8px }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`

const renderHiddenFields = (query: Record<string, string>) =>
  Object.entries(query).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** Renders the choice of a fault; the current one is chosen. */
const renderFaults = (cloud: Cloud, offered: Record<string, string>) => {
  const { name: current } = cloud.fault
  const choices = Object.entries({ none: faults.none, ...offered, [current]: faults[current] })
  return html`<label>Behaviour of this cloud <select name="fault">
${choices.map(([name, words]) => html`<option value="${name}"${name === current ? html` selected` : ''}>${words}</option>`)}
</select></label>`
}

export function renderSignInPage(
  cloud: Cloud,
  query: Record<string, string>,
  accounts: { tenant: EntraTenant; person: EntraPerson }[],
  hinted: { person: EntraPerson } | undefined,
) {
  const tenants = [...new Set(accounts.map(({ tenant }) => tenant))]
  const [tenant] = tenants
  const isFederated = tenants.length === 1 && tenant?.federated
  const sorted = [...accounts].sort((a, b) => Number(b.person === hinted?.person) - Number(a.person === hinted?.person))
  return renderPage(
    `Sign in to ${cloudNameOf(cloud)}`,
    html`<p class="name">${isFederated ? `${tenant?.displayName} sign-in` : cloudNameOf(cloud)}</p>
<h1>Pick an account</h1>
<p>${isFederated ? 'This simulates the identity provider of a federated tenant.' : 'This simulates Microsoft Entra.'} No passwords are needed.</p>
<form method="post">
${renderHiddenFields(query)}
${sorted.map(
  ({ tenant, person }) =>
    html`<button class="person" name="person" value="${person.oid}">${person.name}${person.guest ? ' (guest)' : ''}<br><small>${person.email}${tenants.length > 1 ? `, ${tenant.displayName}` : ''}</small></button>`,
)}
${renderFaults(cloud, signInFaults)}
<p class="actions"><button name="person" value="">Back</button></p>
</form>`,
  )
}

export function renderConsentPage(cloud: Cloud, query: Record<string, string>, tenants: EntraTenant[]) {
  return renderPage(
    'Permissions requested',
    html`<p class="name">${cloudNameOf(cloud)}</p>
<h1>Permissions requested</h1>
<p>This simulates the consent of an administrator for an organisation.</p>
<p>The application <code>${cloud.options.clientId}</code> would like to:</p>
<ul>${graphPermissions.map((permission) => html`<li>${permission}</li>`)}</ul>
<form method="post">
${renderHiddenFields(query)}
${
  tenants.length === 1
    ? html`<p>If you accept, this app gets access for all users of ${tenants[0]?.displayName}.</p>`
    : html`<label>Sign in as the administrator of <select name="consenting">${tenants.map(({ id, displayName }) => html`<option value="${id}">${displayName}</option>`)}</select></label>`
}
${renderFaults(cloud, consentFaults)}
<p class="actions"><button name="decision" value="cancel">Cancel</button><button class="primary" name="decision" value="accept">Accept</button></p>
</form>`,
  )
}

export const renderErrorPage = ({ code, message }: EntraError) =>
  renderPage(
    'Sign in',
    html`<h1>Sign in</h1>
<p>Sorry, but we’re having trouble signing you in.</p>
<p>AADSTS${code}: ${message}</p>`,
  )

/** Renders the control page of a cloud: the fault, and for each tenant its consent and its people. */
export function renderControlPage(cloud: Cloud) {
  return renderPage(
    cloudNameOf(cloud),
    html`<h1>${cloudNameOf(cloud)}</h1>
<p>This simulates Microsoft Entra: metadata, sign-in, admin consent and Microsoft Graph, for the application <code>${cloud.options.clientId}</code>.</p>
<form method="post" action="/control/fault">
${renderFaults(cloud, faults)}
<p class="actions"><button class="primary">Set</button></p>
</form>
${cloud.tenants.filter(({ home }) => !home).map((tenant) => renderTenant(cloud, tenant))}`,
    true,
  )
}

function renderPersonForm({ id, groups = [] }: EntraTenant, { oid, name }: EntraPerson) {
  const fewGroups = groups.slice(0, 10)
  return html`<form method="post" action="/control/people">
<input type="hidden" name="tenant" value="${id}"><input type="hidden" name="person" value="${oid}">
<label>Name <input name="name" value="${name}"></label>
${fewGroups.map((group) => html`<label class="check"><input type="checkbox" name="group" value="${group.id}"${group.memberIds.includes(oid) ? html` checked` : ''}> ${group.displayName}</label>`)}
<button name="decision" value="save">Save</button> <button name="decision" value="remove">Remove ${name}</button>
</form>`
}

/** Renders the provisioning of a tenant: where it goes, the last cycle, and the people who left. */
function renderProvisioning(job: ReturnType<Cloud['provisioning']['find']>, tenant: EntraTenant) {
  const [last] = job?.cycles ?? []
  const steps = last?.steps ?? []
  return html`<details id="${tenant.id}"${job ? html` open` : ''}><summary>Provisioning</summary>
<form method="post" action="/control/provisioning">
<input type="hidden" name="tenant" value="${tenant.id}">
<label>Tenant URL <input name="url" value="${job?.target.url ?? ''}" size="60" required></label>
<label>Secret token <input name="token" value="${job?.target.token ?? ''}" size="60" required></label>
<p><button class="primary" name="decision" value="save">Save and provision</button>
${job && html`<button name="decision" value="run">Provision now</button> <button name="decision" value="stop">Stop</button>`}</p>
</form>
${last && html`<p>Last cycle (${last.kind}) at ${last.at}: ${last.error ?? `${steps.length} requests, ${steps.filter(({ status }) => status >= 400).length} failed`}.</p>`}
<table>${steps.map(({ method, path, status, detail }) => html`<tr><td>${status}</td><td>${method} ${path}${detail ? html`<br><small>${detail}</small>` : ''}</td></tr>`)}</table>
${job?.leavers.map(
  ({ oid, userName }) => html`<form method="post" action="/control/people">
<input type="hidden" name="tenant" value="${tenant.id}"><input type="hidden" name="person" value="${oid}">
<p>${userName} was removed and is disabled. <button name="decision" value="delete">Delete for good</button></p>
</form>`,
)}
</details>`
}

function renderTenant({ consents, provisioning }: Cloud, tenant: EntraTenant) {
  const { groups = [] } = tenant
  const granted = consents.get(tenant.id)
  const facts = [tenant.federated ? 'federated' : 'managed', tenant.region ?? 'EU', tenant.subScope].filter(Boolean)
  return html`<section>
<h2>${tenant.displayName}</h2>
<p class="quiet"><code>${tenant.id}</code>, ${facts.join(', ')}<br>${tenant.verifiedDomains.join(', ')}</p>
<form method="post" action="/control/consent">
<input type="hidden" name="tenant" value="${tenant.id}">
<p>${granted ? 'Consent granted.' : 'No consent.'}</p>
${graphPermissions.map(
  (permission) =>
    html`<label class="check"><input type="checkbox" name="permission" value="${permission}"${!granted || granted.includes(permission) ? html` checked` : ''}> ${permission}</label>`,
)}
<p><button name="decision" value="grant">${granted ? 'Change consent' : 'Grant consent'}</button> ${granted && html`<button name="decision" value="revoke">Revoke consent</button>`}</p>
</form>
<table>
${tenant.people.map(
  (person) =>
    html`<tr><td>${person.name}${person.guest ? ' (guest)' : ''}</td><td>${person.upn}</td><td class="quiet">${listGroupIds(tenant, person).length} groups${person.roles?.length ? `, ${person.roles.join(', ')}` : ''}</td></tr>`,
)}
</table>
<details><summary>Change people</summary>
${tenant.people.filter(({ guest }) => !guest).map((person) => renderPersonForm(tenant, person))}
<form method="post" action="/control/people">
<input type="hidden" name="tenant" value="${tenant.id}">
<label>Name of a new person <input name="name" required></label>
<button name="decision" value="add">Add person</button>
</form>
</details>
${renderProvisioning(provisioning.find(tenant.id), tenant)}
<details><summary>${groups.length} groups and their object ids</summary>
<table>${groups.map(({ id, displayName }) => html`<tr><td>${displayName}</td><td><code>${id}</code></td></tr>`)}</table>
</details>
</section>`
}
