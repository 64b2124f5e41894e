/**
 * Opens the channel from the popup that ends a sign-in to the page waiting for it. A channel is limited to one origin,
 * and it works even if the provider's `Cross-Origin-Opener-Policy` cut the popup off from its opener.
 */
export const openReauthenticationChannel = (): BroadcastChannel => new BroadcastChannel('passport-reauthentication')
