import { createRoot } from 'react-dom/client'
import { cssTransition, ToastContainer, toast as toastify } from 'react-toastify/unstyled'
import { Button } from './Button.tsx'
import 'react-toastify/ReactToastify.css'
import './toaster.css'
import type { ToastOptions } from './toast.ts'

const maxToasts = 20
/** Dragged this far across its width, in percent, a message is gone. */
const dragPercent = 60

const fade = cssTransition({ enter: 'toast-enter', exit: 'toast-exit', collapse: true, collapseDuration: 150 })

/**
 * The one container, which outlives every page: at the bottom right, the newest on top. Its place is in the document
 * from the start, because screen readers miss what appears in a region that is new itself.
 */
const place = document.getElementById('toasts') ?? document.body.appendChild(document.createElement('div'))
createRoot(place).render(
  <ToastContainer
    aria-label="Notifications"
    position="bottom-right"
    transition={fade}
    autoClose={5000}
    limit={maxToasts}
    newestOnTop
    draggable
    draggablePercent={dragPercent}
    pauseOnHover
    pauseOnFocusLoss
    hideProgressBar
    theme="auto"
  />,
)

/** Whoever reads one with the keyboard is given the time, as with the mouse. */
for (const [event, act] of [
  ['focusin', toastify.pause],
  ['focusout', toastify.play],
] as const) {
  place.addEventListener(event, ({ target }) => {
    const id = (target as Element).closest('.Toastify__toast')?.id
    if (id) act({ id })
  })
}

export function show({ id, type = 'default', content, position, timeout = 5000, action }: ToastOptions): void {
  toastify(({ closeToast }) => <Content content={content} action={action} onDone={closeToast} />, {
    type,
    autoClose: timeout,
    role: type === 'error' ? 'alert' : 'group',
    ...(position && { position }),
    ...(id && { toastId: id, updateId: id }),
  })
}

interface ContentProps extends Pick<ToastOptions, 'content'> {
  action: ToastOptions['action']
  onDone: () => void
}

function Content({ content, action, onDone }: ContentProps) {
  return (
    <div className="flex min-w-0 flex-1 items-center gap-3">
      <span className="min-w-0 flex-1 break-words">{content}</span>
      {action && (
        <Button
          isSmall
          onClick={() => {
            action.run()
            onDone()
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  )
}
