// Sends the secret of the link, which is in the fragment of the address, in the body of a form. It leaves the address first:
// browsers store addresses, and show them.
function open() {
  const token = location.hash.slice(1)
  if (token === '') {
    document.getElementById('opening').hidden = true
    document.getElementById('incomplete').hidden = false
    return
  }
  history.replaceState(null, '', location.pathname)
  const form = document.forms[0]
  form.elements.token.value = token
  form.submit()
}

// Another link in the same tab changes only the fragment.
addEventListener('hashchange', open)
open()
