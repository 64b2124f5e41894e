import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check, Prompt, base } = interactionPolicy

/**
 * When an authorization request needs the person. In order:
 * `session` asks for nothing but takes over whoever is signed in to Passport in this browser;
 * `select_account` is done by going to the identity provider again;
 * `login` as the library has it, and also where the session of Passport is another's or has ended;
 * `consent` as the library has it, where the client asks for more than is allowed, and each time where the client must.
 */
export function createPolicy(
  adoptSession: (ctx: KoaContextWithOIDC) => Promise<void>,
  isForeign: (ctx: KoaContextWithOIDC) => boolean,
  mustAsk: (ctx: KoaContextWithOIDC) => Promise<boolean>,
) {
  const policy = base()
  policy
    .get('consent')
    ?.checks.add(
      new Check('asked_always', 'the client must ask each time', 'consent_required', async (ctx) =>
        !ctx.oidc.result?.consent && (await mustAsk(ctx)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    )
  policy
    .get('login')
    ?.checks.add(
      new Check('session_ended', 'the session at this server ended', 'login_required', (ctx) =>
        isForeign(ctx) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
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
