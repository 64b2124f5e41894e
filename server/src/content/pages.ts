import { type ContentSlug, contentPages } from '@passport/contract/content'
import { type Html, html, type Page, raw } from '../http/page.ts'
import type { RenderedContent } from './published.ts'

type PageSlug = (typeof contentPages)[number]

const pageNames: Record<PageSlug, string> = { terms: 'Terms', privacy: 'Privacy', support: 'Support' }

/** Renders a text without its title, in its language. */
const renderBody = ({ locale, html: rendered }: RenderedContent): Html =>
  html`<div class="written" lang="${locale}" dir="auto">${raw(rendered)}</div>`

/** Renders a text as a part of another page, with its title as a heading of level 2. */
export const renderNotice = (content: RenderedContent): Html =>
  html`<section class="note text" lang="${content.locale}" dir="auto">
      ${content.title ? html`<h2>${content.title}</h2>` : ''}${raw(content.html)}
    </section>`

/** Renders a text and its title as a fragment of HTML. */
export const renderFragment = ({ title, html: rendered }: Pick<RenderedContent, 'title' | 'html'>): string =>
  String(html`${title ? html`<h1>${title}</h1>\n` : ''}${raw(rendered)}`)

/** Renders links to the published pages; empty without one. */
export function renderPageLinks(slugs: ReadonlySet<ContentSlug>): Html | '' {
  const links = contentPages.filter((slug) => slugs.has(slug))
  return links.length === 0
    ? ''
    : html`<p class="links">${links.map((slug) => html`<a href="/${slug}">${pageNames[slug]}</a> `)}</p>`
}

/** Renders a page with its published text or, without one, with the contact of the installation. */
export function renderContentPage(
  slug: PageSlug,
  content: RenderedContent | undefined,
  { brandName, supportContact }: { brandName: string; supportContact: string },
): Page {
  const builtIn: Record<PageSlug, string> = {
    terms: `The terms of ${brandName} are not published here. Ask ${supportContact} for them.`,
    privacy: `The privacy notice of ${brandName} is not published here. Ask ${supportContact} for it.`,
    support: `For help with ${brandName}, contact ${supportContact}.`,
  }
  const title = content?.title || pageNames[slug]
  const body = html`<article class="guide">
      <p class="home"><a href="/app/">Go to the home page</a></p>
      <h1>${title}</h1>
      ${content ? renderBody(content) : html`<p>${builtIn[slug]}</p>`}
    </article>`
  return { title, body, headers: { Vary: 'Accept-Language', ...(content && { 'Content-Language': content.locale }) } }
}
