import type { ReactNode } from 'react'
import { LoginUse } from '../app/LoginUse.tsx'
import { Button } from '../ui/Button.tsx'

interface IdentityRowProps {
  picture: ReactNode
  /** The provider or the service. */
  name: string
  status?: ReactNode
  label: string
  title?: string
  use: Parameters<typeof LoginUse>[0]['login']
  /** The label of the button; there is none without `onAction`. */
  action: 'Unlink' | 'Remove'
  onAction: (() => void) | undefined
}

/** A login or a connected account of the user. */
export function IdentityRow({ picture, name, status, label, title, use, action, onAction }: IdentityRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair py-2.5 first:border-0">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-lg bg-well text-ink2">
        {picture}
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-3 font-[560] [&_.whitespace-nowrap]:text-[13px] [&_.whitespace-nowrap]:font-normal">
          {name} {status}
        </p>
        <p className="text-[13px] break-words text-ink2" title={title}>
          {label}
        </p>
      </div>
      <LoginUse login={use} />
      {onAction && (
        <Button isSmall variant="danger" onClick={onAction} aria-label={`${action} ${name} ${label}`}>
          {action}
        </Button>
      )}
    </li>
  )
}
