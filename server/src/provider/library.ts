import { type KoaContextWithOIDC, Provider, type TokenEndpointGrantContext } from 'oidc-provider'

type Names = string | readonly string[] | ReadonlySet<string>
type Handle<Context, Rest extends unknown[] = []> = (ctx: Context, ...rest: Rest) => void | Promise<void>

interface Overrides {
  /** Handles a token request; `handle` is the library's handler. */
  handleTokenRequest: (ctx: KoaContextWithOIDC, handle: () => Promise<void>) => Promise<void>
  /** Sends the response of an authorization request as a form. */
  postForm: Handle<KoaContextWithOIDC, [redirectUri: string, parameters: Record<string, unknown>]>
}

/** Returns a subclass of the library that replaces handlers, which the constructor registers by these methods. */
export function extendLibrary({ handleTokenRequest, postForm }: Overrides): typeof Provider {
  return class extends Provider {
    override registerGrantType<Parameters extends object>(
      name: string,
      handle: Handle<TokenEndpointGrantContext<Parameters>>,
      parameters?: Names,
      duplicates?: Names,
    ) {
      const wrapped: typeof handle = (ctx) => handleTokenRequest(ctx, async () => handle(ctx))
      super.registerGrantType(name, wrapped, parameters, duplicates)
    }

    override registerResponseMode(name: string, handle: typeof postForm) {
      super.registerResponseMode(name, name === 'form_post' ? postForm : handle)
    }
  }
}
