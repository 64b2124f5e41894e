import { html, type Page, renderHead } from '../http/page.ts'

/** Renders the page of a browser that opens the landing itself. AWS Marketplace submits a form to it. */
export function renderLandingPage(brandName: string): Page {
  const title = 'Come from AWS Marketplace'
  const body = html`${renderHead(
    title,
    `This address is where AWS Marketplace sends you to set up a subscription with ${brandName}.`,
    'Open your subscription in AWS Marketplace and select “Set up your account”.',
  )}
    <p class="actions"><a class="button" href="/app/">Go to the home page</a></p>`
  return { status: 405, title, body, headers: { Allow: 'POST, OPTIONS' } }
}
