" What the status line calls. In Vim script, since it is evaluated at every redraw and must not wait for a process.
function! AcpStatus() abort
  return get(g:, 'acp_status', '')
endfunction
