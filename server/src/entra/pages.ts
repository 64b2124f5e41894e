import { html, type Page, renderHead, renderSupportLine } from '../http/page.ts'

/** Renders the end of a consent for an administrator of the tenant: the same for every result. */
export function renderThanks(): Page {
  const title = 'Thank you'
  return {
    title,
    body: html`${renderHead(title, 'You can close this page. The result is shown where the link comes from.')}`,
  }
}

/** Renders the end of a consent that belongs to no link, for an administrator of this server. */
export function renderUnknownLink(supportCode: string): Page {
  const title = 'This response belongs to no consent link'
  const description = 'It may come from another server, or from a link that has expired. Nothing was changed.'
  const body = html`${renderHead(title, description, 'Create a new link on the page of the organisation.')}
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button" href="/app/admin/orgs">Go to organisations</a></p>`
  return { status: 400, title, body }
}
