import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check, Prompt, base } = interactionPolicy

/**
 * Creates the policy that decides when an authorization request needs the user. In this order:
 * `session` never prompts, and adopts the Passport session of this browser;
 * `select_account` goes to the identity provider again;
 * `login` is the library's prompt, extended to a Passport session that has ended or belongs to another user;
 * `consent` is the library's prompt for scopes without consent, extended to clients that require consent each time.
 *
 * Requests that need none of this are answered before the library by the same rules (`direct-authorization.ts`).
 */
export function createPolicy(
  adoptSession: (ctx: KoaContextWithOIDC) => Promise<void>,
  belongsToOtherUser: (ctx: KoaContextWithOIDC) => boolean,
  alwaysRequiresConsent: (ctx: KoaContextWithOIDC) => Promise<boolean>,
) {
  const policy = base()
  policy
    .get('consent')
    ?.checks.add(
      new Check('asked_always', 'the client requires consent each time', 'consent_required', async (ctx) =>
        !ctx.oidc.result?.consent && (await alwaysRequiresConsent(ctx))
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    )
  policy
    .get('login')
    ?.checks.add(
      new Check('session_ended', 'the session of this server has ended', 'login_required', (ctx) =>
        belongsToOtherUser(ctx) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    )
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  policy.add(
    new Prompt(
      { name: 'session', requestable: false },
      new Check('adopt', 'never asks', async (ctx) => {
        await adoptSession(ctx)
        return Check.NO_NEED_TO_PROMPT
      }),
    ),
    0,
  )
  return policy
}
