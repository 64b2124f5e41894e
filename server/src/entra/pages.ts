import { html, type Page, renderHead } from '../http/page.ts'

/** Renders the end of a consent for an administrator of the tenant: the same for every result. */
export function renderThanks(): Page {
  const title = 'Thank you'
  return {
    title,
    body: html`${renderHead(title, 'You can close this page. The person who sent you the link sees the result.')}`,
  }
}
