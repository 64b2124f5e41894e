import { listDeveloperTokens, revokeDeveloperToken } from '@passport/contract/developer-tokens'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { call, query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** Reports whether the tokens differ in their scopes; those of this page have the same. */
const hasOwnScopes = (tokens: { scopes: string[] }[]) => new Set(tokens.map(({ scopes }) => scopes.join(' '))).size > 1

/** The developer tokens of the user that are still valid, wherever they were copied to; nothing if there are none. */
export function ValidTokensCard() {
  const tokens = useQuery(query(listDeveloperTokens, {}))
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: (id: string) => call(revokeDeveloperToken, { params: { id } }),
    onSuccess: () => reportSuccess('Token revoked'),
    onError: (error) => reportFailure('revoke the token', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: query(listDeveloperTokens, {}).queryKey }),
  })
  // Pages show it last, so that nothing moves when it appears.
  if (tokens.isPending || tokens.data?.length === 0) return null
  return (
    <Card title="Valid tokens">
      <Loaded query={tokens} label="Loading tokens" rows={1}>
        {(all) => (
          <ul className="px-4 pb-1.5 sm:px-[18px]">
            {all.map(({ id, issuedAt, expiresAt, scopes }) => (
              <li key={id} className="flex items-center gap-3 border-t border-hair py-2.5 first:border-0">
                <KeyRound size={17} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-ink3" />
                <div className="min-w-0 flex-1">
                  <p className="font-[560]">
                    Expires <RelativeTime at={expiresAt} inSentence />
                  </p>
                  <p className="text-[13px] text-ink2">
                    Issued <RelativeTime at={issuedAt} inSentence />
                    {hasOwnScopes(all) && (
                      <>
                        {' '}
                        · <span className="font-mono text-[12.5px]">{scopes.join(' ')}</span>
                      </>
                    )}
                  </p>
                </div>
                <Button
                  isSmall
                  variant="danger"
                  isBusy={revoke.isPending && revoke.variables === id}
                  onClick={() => revoke.mutate(id)}
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
