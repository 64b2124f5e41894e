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
    // Each of them would play what the other holds: see giveTime.
    pauseOnHover={false}
    pauseOnFocusLoss={false}
    hideProgressBar
    theme="auto"
  />,
)

/**
 * Whoever reads one, with the pointer on it or the focus in it, is given the time; so is who looks at another window.
 * The library plays each message once it has faded in, whatever rests on it.
 */
function giveTime() {
  for (const one of place.querySelectorAll('.Toastify__toast')) {
    const isRead = !document.hasFocus() || one.matches(':hover, :focus-within')
    const act = isRead ? toastify.pause : toastify.play
    act({ id: one.id })
  }
}
for (const event of ['pointerover', 'pointerout', 'pointerup', 'focusin', 'focusout', 'animationend'])
  place.addEventListener(event, giveTime)
for (const event of ['focus', 'blur']) addEventListener(event, giveTime)
toastify.onChange(({ status }) => status === 'added' && requestAnimationFrame(giveTime))

/** Escape closes the message that has the focus, else the newest; what is open in front of them goes first. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  if (document.querySelector('dialog[open], :popover-open')) return
  const focused = document.activeElement?.closest('.Toastify__toast')
  const one = focused ?? place.querySelector('.Toastify__toast:not(.toast-exit)')
  if (one) toastify.dismiss(one.id)
})

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
