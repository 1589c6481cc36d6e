defmodule MyApp.Accounts do
  @moduledoc """
  Who may come in.
  """
  use GenServer
  alias MyApp.Repo
  alias MyApp.Accounts.{User, Team}
  import Ecto.Query, only: [from: 2]
  require Logger

  @behaviour Plug

  @timeout 5_000
  @roles [:admin, :guest]

  @type t :: %__MODULE__{id: integer}
  @type result(value) :: {:ok, value} | :error
  @typep secret :: binary

  @enforce_keys [:id]
  defstruct [:id, :email, role: :guest]

  @doc """
  Gets a user by id.
  """
  @spec get_user(integer) :: result(User.t())
  def get_user(id) when is_integer(id) do
    Repo.get(User, id)
  end

  def get_user(nil), do: :error

  # Nobody is somebody too.
  def anonymous, do: %User{}

  def list_users do
    Repo.all(User)
  end

  defp hash(password, salt \\ ""), do: password <> salt

  @doc "Runs the block for admins only."
  defmacro as_admin(user, do: block) do
    quote do
      if unquote(user).role == :admin, do: unquote(block)
    end
  end

  def left <~> right, do: left == right

  defmacrop debug(message), do: message

  defguard is_admin(user) when user.role == :admin

  defdelegate fetch(id, opts), to: Repo, as: :get

  @impl true
  def handle_call(:count, _from, state), do: {:reply, state, state}

  defmodule Session do
    @moduledoc false
    defexception message: "signed out"

    def expired?(session), do: session.until < 0
  end
end

defmodule MyApp.Store do
  @doc "Opens the store."
  @callback open(path :: String.t()) :: {:ok, term}
  @callback version :: binary
  @callback close(store) :: :ok when store: term
end

defprotocol MyApp.Size do
  @doc "How large it is."
  def size(data)
end

defimpl MyApp.Size, for: BitString do
  def size(text), do: byte_size(text)
end

defimpl MyApp.Size, for: [Map, Tuple] do
  def size(_), do: 0
end

defmodule MyApp.AccountsTest do
  use ExUnit.Case, async: true

  describe "get_user/1" do
    test "finds nobody", %{conn: conn} do
      assert conn
    end
  end
end
