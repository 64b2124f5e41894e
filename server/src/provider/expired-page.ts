import { html, type Page, renderHead, renderSupportLine } from '../http/page.ts'

/** Renders the page of an authorization request that has expired, or was started in another browser. */
export function renderExpiredPage(supportCode: string): Page {
  const body = html`${renderHead('This sign-in has expired', 'It was not completed in time, or was started in another browser. Go back to the application and sign in again.')}
    ${renderSupportLine(supportCode)}
    <p class="actions"><a class="button plain" href="/app/">Go to the home page</a></p>`
  return { status: 400, title: 'Sign-in expired', body }
}
