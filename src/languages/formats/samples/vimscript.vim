" function! Hidden()
let g:shop_loaded = 1
" Adds up.
function! shop#total(lines) abort
  let inner = 1
  return inner
endfunction
func s:helper()
endfunc
command! -nargs=1 ShopPay call shop#pay(<q-args>)
augroup shop
augroup END
