import { endpoints } from '@passport/contract/api'
import { type Endpoint, listAdmittedScopes } from '@passport/contract/endpoint'
import { guides } from '@passport/contract/guides'
import type { Feature } from '../feature.ts'
import { type Html, html, type Page } from '../http/page.ts'
import { notFound } from '../http/problems.ts'
import { renderMarkdown } from './markdown.ts'
import { renderPicture } from './pictures.ts'
import { createGuideSearch, maxWords, readGuide, type SearchGuides } from './search.ts'

const documentPath = '/passport/openapi.json'

/** The guides and the API reference, as pages. */
export const docs: Feature = ({ page }) => {
  const searchGuides = createGuideSearch()
  const pages = new Map<string, Page>()
  /** Returns a page that is rendered at the first request: anyone may open it, any number of times. */
  const keepPage = (path: string, render: () => Page): Page => {
    const kept = pages.get(path) ?? { ...render(), isConstant: true }
    pages.set(path, kept)
    return kept
  }
  page('GET', '/docs', ({ url }) => {
    const query = (url.searchParams.get('q') ?? '').slice(0, maxQuery).trim()
    return query === ''
      ? keepPage('/docs', () => toPage('Guides', [renderHead(query), renderIndex()]))
      : toPage('Guides', [renderHead(query), renderResults(query, searchGuides)])
  })
  page('GET', '/docs/api', () => keepPage('/docs/api', () => toPage('API reference', [backLink, renderReference()])))
  page('GET', '/docs/{guide}', ({ params }) => {
    const guide = guides.find(({ name }) => name === params['guide'])
    if (!guide) throw notFound()
    const { name, title } = guide
    return keepPage(`/docs/${name}`, () => toPage(title, [backLink, ...renderMarkdown(readGuide(name), resolveLink)]))
  })
}

/** Creates a page, which is cached only briefly, because it links to the style sheet of this build. */
const toPage = (title: string, content: Html | Html[]): Page => ({
  title,
  body: html`<article class="guide">${content}</article>`,
  headers: { 'Cache-Control': 'public, max-age=300' },
})

const backLink = html`<p><a href="/docs">Guides</a></p>`

const apiEntry = { name: 'api', title: 'API reference', summary: 'Every call, and the OpenAPI document' }

/** The names of the index's entries, by subject. */
const subjects = {
  Start: ['your-first-client', 'your-first-browser-app', 'your-first-api', 'personal-tokens', 'api'],
  Users: ['preferences', 'avatars', 'connected-accounts'],
  Directory: ['the-directory', 'the-directory-as-a-file', 'importing', 'administering-by-script'],
  Permissions: ['checking-permissions', 'permissions-on-spicedb'],
  Commerce: ['entitlements', 'aws-marketplace'],
  Operate: [
    'configuration',
    'branding',
    'content',
    'entra-organisations',
    'provisioning',
    'behind-a-proxy',
    'mail',
    'monitoring',
    'backups',
  ],
}

/** Longer queries are cut off. */
const maxQuery = 100

const renderHead = (query: string) => html`<p class="home"><a href="/app/">Go to the home page</a></p>
  <h1>Guides</h1>
  <form class="search" role="search" action="/docs">
    ${renderPicture('search')}
    <input type="search" name="q" value="${query}" aria-label="Search the guides" placeholder="Search the guides" maxlength="${maxQuery}">
    <button>Search</button>
  </form>`

const renderIndex = () =>
  html`${Object.entries(subjects).map(
    ([subject, names]) => html`<h2>${subject}</h2>
      <ul class="cards">${names.map(renderCard)}</ul>`,
  )}`

function renderCard(name: string): Html {
  const { title, summary } = [...guides, apiEntry].find((entry) => entry.name === name) ?? apiEntry
  return html`<li><a href="/docs/${name}">${renderPicture(name)}<span><strong>${title}</strong> ${summary}</span></a></li>`
}

function renderResults(query: string, searchGuides: SearchGuides): Html {
  const { found, isShortened } = searchGuides(query)
  const count = found.length === 1 ? '1 guide' : `${found.length} guides`
  return html`<h2>${found.length === 0 ? `No guide has “${query}”` : `${count} with “${query}”`}</h2>
    ${isShortened ? html`<p class="quiet">Only the first ${maxWords} different words of two or more letters count.</p>` : ''}
    <ul class="results">${found.map(
      ({ name, title, excerpt }) =>
        html`<li><a href="/docs/${name}">${renderPicture(name)}<span><strong>${title}</strong> ${excerpt}</span></a></li>`,
    )}</ul>
    <p><a href="/docs">All guides</a> or the <a href="/docs/api">API reference</a></p>`
}

/** Resolves links to other guides and to the OpenAPI document; files of the repository are not served. */
function resolveLink(target: string): string | undefined {
  if (/^(?:https?:|#)/.test(target)) return target
  if (target === '../openapi.json') return documentPath
  const [, name, fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? []
  return guides.some((guide) => guide.name === name) ? `/docs/${name}${fragment}` : undefined
}

function renderReference(): Html {
  const calls = [...endpoints.values()]
  const features = [...new Set(calls.map(({ feature }) => feature))]
  return html`<h1>API reference</h1>
    <p>Every call of this version. The <a href="${documentPath}">OpenAPI document</a> has parameters, bodies and responses,
      for generated clients. An error is <code>application/problem+json</code>; its <code>type</code> is the URL of a page
      about it. A call that accepts a token takes <code>Authorization: Bearer</code> with an access token of the scope
      <code>api_vertex_core</code>, or with a <a href="/docs/personal-tokens">personal token</a>.</p>
    ${features.map(
      (feature) => html`<h2 id="${feature}">${feature.replaceAll('-', ' ')}</h2>
        <ul class="entries">${calls.filter((call) => call.feature === feature).map(renderCall)}</ul>`,
    )}`
}

const renderCall = (call: Endpoint): Html =>
  html`<li><code>${call.method} ${call.path.replace('...}', '}')}</code><br>${call.summary}<small>${callersOf(call)}</small></li>`

const accessNames: Record<Endpoint['access'], string> = {
  anyone: 'Anyone',
  signedIn: 'Signed-in users',
  developer: 'Developers',
  admin: 'Administrators',
  setup: 'The browser of a set-up link',
}

function callersOf(endpoint: Endpoint): string {
  const scopes = listAdmittedScopes(endpoint)
  const clients = scopes.length > 0 ? `, clients with ${scopes.join(' or ')}` : ''
  return `${accessNames[endpoint.access]}${endpoint.bearer ? ', by session or token' : ''}${clients}`
}
