import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

const { Check, Prompt, base } = interactionPolicy

/**
 * When an authorization request needs the person. In order:
 * `session` asks for nothing but takes over whoever is signed in to Passport in this browser;
 * `select_account` is done by going to the identity provider again;
 * `login` as the library has it, and also where the session of Passport is another's or has ended.
 * There is no consent: all clients are the operator's own.
 */
export function createPolicy(
  adoptSession: (ctx: KoaContextWithOIDC) => Promise<void>,
  isForeign: (ctx: KoaContextWithOIDC) => boolean,
) {
  const policy = base()
  policy.remove('consent')
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
