import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check, Prompt, base } = interactionPolicy

/**
 * Decides when an authorization request needs the user. In order:
 * `session` never asks, but adopts the user signed in to Passport in this browser;
 * `select_account` is done by going to the identity provider again;
 * `login` is the library's, also if the Passport session belongs to another user or has ended;
 * `consent` is the library's, if scopes lack consent, and each time for clients that must always ask.
 */
export function createPolicy(
  adoptSession: (ctx: KoaContextWithOIDC) => Promise<void>,
  belongsToOtherUser: (ctx: KoaContextWithOIDC) => boolean,
  alwaysAsks: (ctx: KoaContextWithOIDC) => Promise<boolean>,
) {
  const policy = base()
  policy
    .get('consent')
    ?.checks.add(
      new Check('asked_always', 'the client requires consent each time', 'consent_required', async (ctx) =>
        !ctx.oidc.result?.consent && (await alwaysAsks(ctx)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
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
