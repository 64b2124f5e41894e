import type { PageTexts } from '../content/page-texts.ts'
import type { Brand } from '../http/brand.ts'
import { type Html, html, type Page, renderHead, renderSupportLine } from '../http/page.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import type { FailureCode } from './failure.ts'
import { renderProviderMark } from './provider-mark.ts'

/** The purpose of a sign-in: an application or, without a name, the console. */
export interface SignInPurpose {
  clientName?: string
  /** The user must sign in even if they did so just now. */
  isFresh: boolean
}

/** Renders the heading of a sign-in page, with the purpose of the sign-in and the reason for a forced one. */
export function renderSignInHead(brandName: string, { clientName, isFresh }: SignInPurpose): Html {
  const again = `${clientName ? `${clientName} asks you to sign in again` : 'Sign in again'}, to confirm that it is you.`
  const purpose = isFresh ? again : clientName && `Continue to ${clientName}`
  return renderHead(`Sign in to ${brandName}`, purpose)
}

interface ProviderChoice {
  brand: Brand
  upstreams: Upstream[]
  urlOf: (id: string) => string
  purpose: SignInPurpose
  texts: PageTexts
  /** The field for an email address, with the other parameters of the sign-in. */
  emailForm?: { email: string; parameters: [name: string, value: string][] }
  notice?: string
  /** The notice is about a wrong email address. */
  isInvalid?: boolean
}

/** Renders the choice of identity providers: a form and links, so that no script is needed. */
export function renderChoicePage(choice: ProviderChoice): Page {
  const { brand, upstreams, urlOf, purpose, texts, emailForm, notice, isInvalid } = choice
  const links = upstreams.map(
    (upstream) => html`<li><a class="button secondary" href="${urlOf(upstream.id)}">
      ${renderProviderMark(upstream)} Continue with ${upstream.name}</a></li>`,
  )
  const body = html`${renderSignInHead(brand.name, purpose)}
    ${texts.notice}
    ${notice ? html`<p class="${isInvalid ? 'form-error' : 'note'}" role="alert" id="notice">${notice}</p>` : ''}
    ${emailForm ? renderEmailForm(emailForm, choice) : ''}
    <ul class="choices">${links}</ul>
    ${texts.links}`
  // The redirects after the form lead to a provider, to providers of its own, and to the application.
  return { title: 'Sign in', body, brand, ...(emailForm && { formTargets: 'any' }) }
}

function renderEmailForm(
  { email, parameters }: NonNullable<ProviderChoice['emailForm']>,
  { notice, isInvalid }: Pick<ProviderChoice, 'notice' | 'isInvalid'>,
): Html {
  const state = notice ? html`aria-describedby="notice" ${isInvalid ? html`aria-invalid="true"` : ''}` : ''
  return html`<form action="/login">
      ${parameters.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <label for="email">Email</label>
      <input id="email" name="email" value="${email}" inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" maxlength="320" required ${email && !isInvalid ? '' : 'autofocus'} ${state}>
      <p class="actions"><button>Continue</button></p>
    </form>
    <p class="divider">or</p>`
}

interface FailureDetails {
  code: FailureCode
  /** The display name of the provider. */
  providerName: string
  supportContact: Html | string
  /** The URL of another attempt. */
  retryUrl: string
  supportCode: string
}

/** Renders a page that explains a failure and its remedy, with the support code. */
export function renderFailurePage(details: FailureDetails): Page {
  const { status, title, description, advice } = explain(details)
  const body = html`${renderHead(title, description, advice)}
    <p class="actions"><a class="button" href="${details.retryUrl}">Try again</a>
      <a class="button plain" href="/app/">Go to the home page</a></p>
    ${renderSupportLine(details.supportCode)}`
  return { status, title, body }
}

interface Explanation {
  status: number
  title: string
  description: Html | string
  advice?: Html | string
}

function explain({ code, providerName, supportContact }: FailureDetails): Explanation {
  const contactAdvice = html`If this happens again, contact ${supportContact} with the support code.`
  switch (code) {
    case 'provider-unreachable':
      return {
        status: 502,
        title: `${providerName} is not responding`,
        description: 'It may be temporarily unavailable. Try again in a moment.',
        advice: contactAdvice,
      }
    case 'provider-refused':
      return {
        status: 502,
        title: `${providerName} rejected the sign-in`,
        description: 'It returned an error instead of your identity.',
        advice: contactAdvice,
      }
    case 'provider-misconfigured':
      return {
        status: 502,
        title: `Sign-in with ${providerName} is not configured correctly`,
        description: 'An administrator must correct the configuration.',
        advice: contactAdvice,
      }
    case 'cancelled':
      return {
        status: 403,
        title: 'Sign-in was cancelled',
        description: `You or ${providerName} cancelled the sign-in. Nothing was changed.`,
      }
    case 'state-unknown':
      return {
        status: 400,
        title: 'This sign-in was not started in this browser',
        description:
          'It may come from another browser, an old page, or a link that someone sent you. If your browser blocks cookies, allow them for this site.',
      }
    case 'attempt-expired':
      return {
        status: 400,
        title: 'This sign-in has expired',
        description: 'A sign-in must be completed within 10 minutes.',
      }
    case 'answer-replayed':
      return {
        status: 400,
        title: 'This sign-in was already used',
        description:
          'Each response can be used only once. You may be signed in already in another tab, or you may have reloaded the page.',
      }
    case 'code-refused':
      return {
        status: 502,
        title: `${providerName} rejected the sign-in code`,
        description: 'The code was already used or has expired.',
        advice: contactAdvice,
      }
    case 'issuer-wrong':
      return {
        status: 400,
        title: 'The response came from another issuer',
        description: `It was not issued by ${providerName}. You were not signed in.`,
        advice: contactAdvice,
      }
    case 'answer-invalid':
      return {
        status: 502,
        title: `The response of ${providerName} is invalid`,
        description: 'Its ID token could not be verified. You were not signed in.',
        advice: contactAdvice,
      }
    case 'clock-skew':
      return {
        status: 502,
        title: 'The clocks differ',
        description: `The clock of ${providerName} differs from ours by more than five minutes, so its response could not be verified.`,
        advice: contactAdvice,
      }
    case 'not-fresh':
      return {
        status: 403,
        title: 'A new sign-in is required',
        description: `We asked ${providerName} for a new sign-in, but it reported an earlier one.`,
        advice: `Sign out of ${providerName} first, then try again.`,
      }
    case 'provider-cannot-prove':
      return {
        status: 403,
        title: 'Your sign-in cannot be confirmed',
        description: `${providerName} does not report when you signed in, so a recent sign-in cannot be confirmed.`,
        advice: html`An operator must configure it to send the claim <code>auth_time</code>, or set <code>"freshness": "prompt"</code> for it in the configuration. Contact ${supportContact}.`,
      }
    case 'not-invited':
      return {
        status: 403,
        title: 'You have no account here yet',
        description: `You signed in with ${providerName}, but you have not been invited.`,
        advice: html`Ask ${supportContact} to invite you, or sign in with another account.`,
      }
    case 'account-disabled':
      return {
        status: 403,
        title: 'Your account is disabled',
        description: 'An administrator has disabled it.',
        advice: html`Contact ${supportContact}.`,
      }
    case 'login-unlinked':
      return {
        status: 403,
        title: 'This login is no longer linked',
        description: `Your account is no longer linked to your login at ${providerName}.`,
        advice: html`Sign in another way, or contact ${supportContact}.`,
      }
    case 'external-account-in-use':
      return {
        status: 409,
        title: 'This login is already linked',
        description: `The account at ${providerName} is already linked to a user. A login can be linked to only one user.`,
        advice: html`If it is linked to another account of yours, contact ${supportContact}.`,
      }
    case 'session-changed':
      return {
        status: 403,
        title: 'Your session has changed',
        description: 'A login can be linked only in the session in which you started to link it. Nothing was changed.',
      }
    case 'tenant-not-enabled':
      return {
        status: 403,
        title: `Sign-in with ${providerName} is disabled`,
        description: 'An administrator has disabled it.',
        advice: html`Contact ${supportContact}.`,
      }
    case 'tenant-mismatch':
      return {
        status: 403,
        title: 'The response came from another organisation',
        description: `You did not sign in to the directory of ${providerName}. You were not signed in here.`,
        advice: contactAdvice,
      }
    case 'key-issuer-wrong':
      return {
        status: 502,
        title: 'The response was signed with the key of another issuer',
        description: `The key does not belong to ${providerName}. You were not signed in.`,
        advice: contactAdvice,
      }
    case 'guest-refused':
      return {
        status: 403,
        title: `Guests of ${providerName} cannot sign in`,
        description: `You are a guest in the directory of ${providerName}, which allows only its own members to sign in here.`,
        advice: `Sign in with another account, or ask an administrator of ${providerName}.`,
      }
    case 'groups-unavailable':
      return {
        status: 502,
        title: 'Your groups could not be read',
        description: `You are in too many groups of ${providerName} for its response, and Microsoft Graph did not list them. Your access depends on them, so you were not signed in.`,
        advice: contactAdvice,
      }
  }
}
