import { supportCodeOf } from '@passport/contract/support-code'
import { readPageTexts } from '../content/page-texts.ts'
import type { Services } from '../feature.ts'
import type { Page, PageRequest } from '../http/page.ts'
import { type Attempt, handleOf } from '../login/attempt.ts'
import type { SignInPurpose } from '../login/pages.ts'
import { findSignUpUrl } from './offer-sign-up.ts'
import { renderSignInPage } from './pages.ts'

/** What a form shows again after a wrong password, or after the choice of a demo user. */
export interface FormValues {
  name?: string
  errorMessage?: string
}

interface FormContext {
  /** The path of the form. */
  path: string
  /** Binds the form to its attempt. */
  seal: string
  purpose: SignInPurpose
  loginHint: string
  signUpUrl?: string | undefined
  formTargets: string[]
}

/** The encryption purpose of the value that binds a form to its attempt. */
export const formPurpose = 'directory-form'

/** Shows the form of an attempt to sign in with a password. */
export async function showSignInForm(
  services: Services,
  request: PageRequest,
  attempt: Attempt,
  values: FormValues = {},
): Promise<Page> {
  const { isFresh, clientName, clientOrigin, returnTo, interaction = null, loginHint = '', state } = attempt
  const context: FormContext = {
    path: `/idp/login/${handleOf(attempt)}`,
    seal: services.vault.seal(formPurpose, state),
    purpose: { isFresh, ...(clientName && { clientName }) },
    loginHint,
    signUpUrl: isFresh ? undefined : await findSignUpUrl(services, request, { returnTo, interaction }),
    // The redirects after the form end at the application.
    formTargets: clientOrigin ? [clientOrigin] : [],
  }
  return showForm(services, request, context, values)
}

/** Shows the form, for any attempt. */
export async function showForm(
  services: Services,
  request: PageRequest,
  { path, seal, purpose, loginHint, signUpUrl, formTargets }: FormContext,
  { name, errorMessage }: FormValues,
): Promise<Page> {
  const { sql, branding, listDemoUsers } = services
  return renderSignInPage({
    // The form may be reached by an address whose domain has named an organisation.
    brand: await branding.findForEmail(sql, loginHint),
    purpose,
    path,
    seal,
    name: name ?? loginHint,
    ...(errorMessage && { errorMessage, supportCode: supportCodeOf(request.visit.requestId) }),
    ...(signUpUrl && { signUpUrl }),
    demoUsers: listDemoUsers(),
    texts: await readPageTexts(services, 'login.notice', request),
    formTargets,
  })
}
