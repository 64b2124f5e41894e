import { type ContentSlug, contentPages } from '@passport/contract/content'
import type { Brand } from '../http/brand.ts'
import { type Html, html, type Page, raw, renderContact } from '../http/page.ts'
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

/** Renders links to the published pages, and to the support page of the brand without a published one; may be empty. */
export function renderPageLinks(slugs: ReadonlySet<ContentSlug>, { supportUrl }: Pick<Brand, 'supportUrl'>): Html | '' {
  const links = contentPages
    .filter((slug) => slugs.has(slug))
    .map((slug) => ({ url: `/${slug}`, name: pageNames[slug] }))
  if (supportUrl !== undefined && !slugs.has('support')) links.push({ url: supportUrl, name: pageNames.support })
  return links.length === 0
    ? ''
    : html`<p class="links">${links.map(({ url, name }) => html`<a href="${url}">${name}</a> `)}</p>`
}

const pages = new WeakMap<RenderedContent, Page>()

/** Returns the page with a published text or, without one, with the contact of the installation. */
export function toContentPage(slug: PageSlug, content: RenderedContent | undefined, brand: Brand): Page {
  if (!content) return renderContentPage(slug, content, brand)
  const page = pages.get(content) ?? { ...renderContentPage(slug, content, brand), isConstant: true }
  pages.set(content, page)
  return page
}

function renderContentPage(slug: PageSlug, content: RenderedContent | undefined, brand: Brand): Page {
  const contact = renderContact(brand)
  const builtIn: Record<PageSlug, Html> = {
    terms: html`The terms of ${brand.name} are not published here. Ask ${contact} for them.`,
    privacy: html`The privacy notice of ${brand.name} is not published here. Ask ${contact} for it.`,
    support: html`For help with ${brand.name}, contact ${contact}.`,
  }
  const title = content?.title || pageNames[slug]
  const body = html`<article class="guide">
      <p class="home"><a href="/app/">Go to the home page</a></p>
      <h1>${title}</h1>
      ${content ? renderBody(content) : html`<p>${builtIn[slug]}</p>`}
    </article>`
  return { title, body, headers: { Vary: 'Accept-Language', ...(content && { 'Content-Language': content.locale }) } }
}
