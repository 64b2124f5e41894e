import { type Html, html, type Page, supportLine } from '../http/page.ts'
import type { Upstream } from '../identity-providers/upstreams.ts'
import type { FailureCode } from './failure.ts'

/** The choice of identity providers. Each is a link, so that no script is needed. */
export function choicePage(brandName: string, upstreams: Upstream[], addressOf: (id: string) => string): Page {
  const body = html`<h1>Sign in to ${brandName}</h1>
    <p>Choose where you have an account.</p>
    <ul class="choices">${upstreams.map(({ id, name }) => html`<li><a class="button wide" href="${addressOf(id)}">Continue with ${name}</a></li>`)}</ul>`
  return { title: 'Sign in', body }
}

interface Circumstances {
  code: FailureCode
  /** What people call the provider. */
  providerName: string
  supportContact: string
  /** Where to try once more. */
  retryAddress: string
  supportCode: string
}

/** What happened and what to do about it, with a code by which support finds it. */
export function failurePage(circumstances: Circumstances): Page {
  const { status, title, what, advice } = explain(circumstances)
  const body = html`<h1>${title}</h1>
    <p>${what}</p>
    ${advice ? html`<p>${advice}</p>` : ''}
    ${supportLine(circumstances.supportCode)}
    <p class="actions"><a class="button" href="${circumstances.retryAddress}">Try again</a>
      <a class="button plain" href="/app/">Go to the start</a></p>`
  return { status, title, body }
}

interface Explanation {
  status: number
  title: string
  what: Html | string
  advice?: Html | string
}

function explain({ code, providerName, supportContact }: Circumstances): Explanation {
  const ask = html`If it happens again, ask ${supportContact} and tell them the support code.`
  switch (code) {
    case 'provider-unreachable':
      return {
        status: 502,
        title: `${providerName} does not answer`,
        what: 'We could not reach it to sign you in. It may be down for a moment.',
        advice: ask,
      }
    case 'provider-refused':
      return {
        status: 502,
        title: `${providerName} refused the sign-in`,
        what: 'It sent you back without saying who you are.',
        advice: ask,
      }
    case 'provider-misconfigured':
      return {
        status: 502,
        title: `${providerName} does not know us`,
        what: 'The connection to it is not set up right. You cannot do anything about it.',
        advice: ask,
      }
    case 'cancelled':
      return {
        status: 403,
        title: 'Sign-in was cancelled',
        what: `You, or ${providerName}, stopped the sign-in. Nothing has changed.`,
      }
    case 'state-unknown':
      return {
        status: 400,
        title: 'This sign-in was not started here',
        what: 'The answer does not belong to a sign-in that this browser waits for. It may be from another browser or from an old page, or someone sent you a link.',
        advice: 'Start again from here. If the browser blocks cookies, allow them for this site.',
      }
    case 'attempt-expired':
      return { status: 400, title: 'That took too long', what: 'A sign-in must be finished within 10 minutes.' }
    case 'answer-replayed':
      return {
        status: 400,
        title: 'This sign-in was used already',
        what: 'Each answer counts once. You may be signed in in another tab, or you reloaded the page.',
      }
    case 'code-refused':
      return {
        status: 502,
        title: `${providerName} took back its answer`,
        what: 'The code that came with it had been used or had expired.',
        advice: ask,
      }
    case 'issuer-wrong':
      return {
        status: 400,
        title: 'The answer came from someone else',
        what: `It says that it is not from ${providerName}. We did not sign you in.`,
        advice: ask,
      }
    case 'answer-invalid':
      return {
        status: 502,
        title: `We could not trust the answer of ${providerName}`,
        what: 'It was not signed or not made for us. We did not sign you in.',
        advice: ask,
      }
    case 'clock-skew':
      return {
        status: 502,
        title: 'The clocks do not agree',
        what: `The answer of ${providerName} is from a time that is more than five minutes from ours, so we cannot tell whether it is still good.`,
        advice: ask,
      }
    case 'not-fresh':
      return {
        status: 403,
        title: 'You need to prove again who you are',
        what: `We asked ${providerName} to make sure that it is you right now, and its answer is about an earlier time.`,
        advice: 'Sign out there first, then try again.',
      }
    case 'not-invited':
      return {
        status: 403,
        title: 'You have no account here yet',
        what: `${providerName} says who you are, but you have not been invited.`,
        advice: html`Ask ${supportContact} to invite you, or sign in with another account.`,
      }
    case 'account-disabled':
      return {
        status: 403,
        title: 'Your account is disabled',
        what: 'An administrator has disabled it.',
        advice: html`Ask ${supportContact}.`,
      }
    case 'external-account-in-use':
      return {
        status: 409,
        title: 'That login is in use',
        what: `The account at ${providerName} is linked to a person here already, perhaps to you. Each login leads to one person.`,
        advice: html`If it is yours and leads to another account of yours, ask ${supportContact}.`,
      }
    case 'session-changed':
      return {
        status: 403,
        title: 'You are not signed in as before',
        what: 'A login is linked only in the session that began it. Nothing has changed.',
      }
  }
}
