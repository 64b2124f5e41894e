import * as api from '@passport/contract/enrolment'
import { transaction } from '../database/sql.ts'
import type { Feature, Services } from '../feature.ts'
import type { Page, PageRequest, PageResult } from '../http/page.ts'
import { servePageScript } from '../http/page-script.ts'
import { Problem } from '../http/problem.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { reportRejection } from '../http/report.ts'
import { Created } from '../http/serve.ts'
import { findPasswordError } from '../local-directory/sign-up-form.ts'
import type { User } from '../users/store.ts'
import { enrol } from './complete.ts'
import { createLink, formatLinkUrl, isDirectoryOn, readEnrolment, toEnrolmentLink } from './create.ts'
import { describeInvitation } from './describe-invitation.ts'
import { enrolInvited, findMailedInvitation } from './mailed.ts'
import { enrolPath, findToken, forgetLink, lockOpened, type OpenEnrolment, openLink } from './open.ts'
import * as pages from './pages.ts'

const rateLimit = anonymousLimit('enrolment')
const invitedPath = `${pages.invitedPath}/{token}` as const

/** Enrolment links, by which the users of accounts without a sign-in method set a password. */
export const enrolment: Feature = ({ serve, page, mount }, services) => {
  const { sql, config } = services

  serve(api.getEnrolment, ({ params }) => readEnrolment(sql, services, params.userId))

  serve(api.createEnrolmentLink, async ({ params, caller, visit }) => {
    const { link, token } = await createLink(sql, services, params.userId, { caller, visit })
    const created = { ...toEnrolmentLink(link), url: formatLinkUrl(config.publicUrl, token) }
    return new Created(created, api.getEnrolment.path.replace('{userId}', params.userId), { etag: link.id })
  })

  if (!isDirectoryOn(services)) return
  servePageScript(mount, pages.readLinkPath, new URL('./read-link.js', import.meta.url))

  page('GET', enrolPath, () => pages.linkPage, { rateLimit })

  page(
    'POST',
    enrolPath,
    withEndPage(services, async ({ form, cookies, visit }) => {
      await openLink(sql, form.get('token') ?? '', { cookies, visit })
      return { redirect: pages.passwordPath }
    }),
    { rateLimit },
  )

  const show = withEndPage(services, (request) => showForm(services, request))
  const submit = withEndPage(services, (request) => submitForm(services, request))
  page('GET', pages.passwordPath, show, { rateLimit })
  page('POST', pages.passwordPath, submit, { rateLimit })

  page('GET', invitedPath, (request) => showInvitedForm(services, request), { rateLimit })
  page('POST', invitedPath, (request) => submitInvitedForm(services, request), { rateLimit })
}

type HandlePage = (request: PageRequest) => Promise<PageResult>

/** Shows why a link cannot be used on a page of its own. */
const withEndPage =
  ({ log }: Services, handle: HandlePage): HandlePage =>
  async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      if (!(error instanceof Problem && pages.isEnd(error))) throw error
      return pages.renderEndPage(error, reportRejection(log, request.visit, { code: error.code }))
    }
  }

const loadOpened = ({ sql }: Pick<Services, 'sql'>, { cookies }: PageRequest): Promise<OpenEnrolment> =>
  transaction(sql, (sql) => lockOpened(sql, cookies))

const showForm = async (services: Services, request: PageRequest): Promise<Page> =>
  renderForm(services, request, await loadOpened(services, request))

/** Renders the form of the browser that opened a link. */
function renderForm(
  services: Services,
  request: PageRequest,
  { signInName, invitation }: OpenEnrolment,
  error?: string,
): Promise<Page> {
  const token = findToken(request.cookies)
  const form = { path: pages.passwordPath, signInName, invitation, token: invitation && token, error }
  return renderPasswordPage(services, request, form)
}

interface PasswordForm {
  path: string
  signInName: string
  invitation: { id: string } | undefined
  /** The token by which the user signs in instead. */
  token: string | undefined
  error: string | undefined
}

async function renderPasswordPage(
  { sql, branding }: Services,
  { caller }: PageRequest,
  { invitation, token, ...form }: PasswordForm,
): Promise<Page> {
  const brandName = branding.current().name
  return pages.renderPasswordPage({
    ...form,
    brandName,
    invitation: invitation && (await describeInvitation(sql, invitation, brandName)),
    signInUrl: token && pages.formatSignInUrl(token),
    signedInAs: caller && (caller.name ?? caller.username ?? caller.email ?? caller.id),
  })
}

async function submitForm(services: Services, request: PageRequest): Promise<PageResult> {
  const { cookies, visit } = request
  const opened = await loadOpened(services, request)
  const password = request.form.get('password') ?? ''
  const error = findError(services, password, opened.user)
  if (error !== undefined) return renderForm(services, request, opened, error)
  const redirect = await enrol(services, password, { cookies, visit })
  forgetLink(cookies)
  return { redirect }
}

function findError({ branding }: Services, password: string, { username, email, displayName }: User) {
  return findPasswordError(password, [username ?? '', email ?? '', displayName ?? '', branding.current().name])
}

/** Renders the form of an invitation by email, or redirects a user with an account to the page where they accept it. */
async function showInvitedForm(services: Services, request: PageRequest, error?: string): Promise<PageResult> {
  const token = request.params['token'] ?? ''
  const mailed = await findMailedInvitation(services, token)
  // The page of the invitation says why, or leads to sign-in.
  if (!mailed) return { redirect: pages.formatJoinUrl(token) }
  const { invitation } = mailed
  const path = pages.formatInvitedUrl(token)
  return renderPasswordPage(services, request, { path, signInName: invitation.email, invitation, token, error })
}

async function submitInvitedForm(services: Services, request: PageRequest): Promise<PageResult> {
  const { cookies, visit, form } = request
  const token = request.params['token'] ?? ''
  const password = form.get('password') ?? ''
  const mailed = await findMailedInvitation(services, token)
  const error = mailed && findError(services, password, mailed.user)
  if (error !== undefined) return showInvitedForm(services, request, error)
  const redirect = mailed && (await enrolInvited(services, { token, password }, { cookies, visit }))
  return { redirect: redirect ?? pages.formatJoinUrl(token) }
}
